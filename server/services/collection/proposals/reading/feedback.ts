import { shareOfScale } from "@/server/services/diagnostics/detectors/reading";
import type { CollectionEvidence } from "../types";

/** Shares of a scale: a score of at least HIGH is praise, one of at most LOW a complaint. */
const HIGH = 0.8;
const LOW = 0.5;

type Feedback = CollectionEvidence["feedback"][number];

const shareOf = (one: Feedback, all: readonly Feedback[]) => (one.kind === "score" ? shareOfScale(one, all) : null);

/** Returns whether feedback is a complaint about an answer, or a low score from an evaluation. */
export function isNegative(one: Feedback, all: readonly Feedback[]): boolean {
  const share = shareOf(one, all);
  return (
    one.kind === "correction" || (one.kind === "thumb" && one.value === "down") || (share !== null && share <= LOW)
  );
}

/** Returns how a user praised an answer; `null` if they did not. */
export function praiseIn(
  one: Feedback,
  all: readonly Feedback[],
): { code: "thumbs_up" | "high_score"; what: string } | null {
  if (!one.givenByUser) return null;
  if (one.kind === "thumb" && one.value === "up") return { code: "thumbs_up", what: "a thumbs up" };
  const share = shareOf(one, all);
  return share !== null && share >= HIGH ? { code: "high_score", what: `a score of ${one.value}` } : null;
}
