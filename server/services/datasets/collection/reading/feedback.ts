import { shareOfScale } from "../../../diagnostics/detectors/reading";
import type { CollectionEvidence } from "../types";

/** Shares of a scale: a score from the first on praises, one up to the second complains. */
const HIGH = 0.8;
const LOW = 0.5;

type Feedback = CollectionEvidence["feedback"][number];

const shareOf = (one: Feedback, all: readonly Feedback[]) => (one.kind === "score" ? shareOfScale(one, all) : null);

/** Returns whether somebody complained about an answer, or an evaluation gave it a low score. */
export function isNegative(one: Feedback, all: readonly Feedback[]): boolean {
  const share = shareOf(one, all);
  return (
    one.kind === "correction" || (one.kind === "thumb" && one.value === "down") || (share !== null && share <= LOW)
  );
}

/** Returns how a user praised an answer; `null` where they did not. */
export function praiseIn(
  one: Feedback,
  all: readonly Feedback[],
): { code: "thumbs_up" | "high_score"; what: string } | null {
  if (!one.givenByUser) return null;
  if (one.kind === "thumb" && one.value === "up") return { code: "thumbs_up", what: "a thumbs up" };
  const share = shareOf(one, all);
  return share !== null && share >= HIGH ? { code: "high_score", what: `a score of ${one.value}` } : null;
}
