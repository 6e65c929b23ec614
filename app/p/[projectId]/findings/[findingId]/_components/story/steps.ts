import { formatPercent, plural } from "@/app/_lib/format";
import type { Fix } from "@/server/services/diagnostics/fixes/schemas";
import type { FindingDetail } from "@/server/services/diagnostics/schemas";
import type { Evaluation } from "@/server/services/proof/evaluations/schemas";
import { isUnfinished, VERDICT } from "../../../../_components/evaluations/words";
import { neededWords, releaseWords, standingOf } from "../../../../_components/fixes/words";

export const STEP_STATES = { done: "done", now: "under way", next: "next", open: "to do" } as const;
export type StepState = keyof typeof STEP_STATES;
/** A step from a Finding to a fix that holds; `anchor` is the section of the page that it leads to. */
export type Step = { name: string; state: StepState; says: string; anchor: string };

export type Story = {
  finding: Pick<FindingDetail, "occurrenceCount" | "reviewStatus">;
  /** What was written or handed off against it; null: the reader may not see. */
  variants: readonly { name: string; version: number }[];
  ticket: string | null;
  proof: Evaluation | null;
  fix: Fix | null;
};

/** Returns the steps from evidence to a fix that holds, with where a Finding stands in each. The first open one is next. */
export function stepsOf(story: Story): Step[] {
  const steps: Step[] = [
    evidence(story),
    { name: "Fix", anchor: "proof", ...tried(story) },
    { name: "Proof", anchor: "proof", ...proven(story.proof) },
    { name: "Release", anchor: "rate-by-day", ...released(story.fix) },
    { name: "Watch", anchor: "rate-by-day", ...watched(story.fix) },
  ];
  const next = steps.findIndex(({ state }) => state !== "done");
  return steps.map((step, at) => (at === next && step.state === "open" ? { ...step, state: "next" } : step));
}

type Standing = Pick<Step, "state" | "says">;
const open = (says: string): Standing => ({ state: "open", says });
const done = (says: string): Standing => ({ state: "done", says });

const evidence = ({ finding: { occurrenceCount, reviewStatus } }: Story): Step => ({
  name: "Evidence",
  anchor: "why",
  ...(reviewStatus === "unreviewed"
    ? open(`${plural(occurrenceCount, "conversation")}, to review`)
    : done(`${plural(occurrenceCount, "conversation")}, ${reviewStatus}`)),
});

function tried({ variants, ticket, proof, fix }: Story): Standing {
  const [variant] = variants;
  if (variant) return done(`${variant.name}, version ${variant.version}`);
  if (ticket !== null) return done(`Handed off: ${ticket}`);
  return proof !== null || fix !== null ? done("Made") : open("Try another prompt or model");
}

function proven(proof: Evaluation | null): Standing {
  if (proof === null) return open("Not measured");
  if (isUnfinished(proof)) return { state: "now", says: `${proof.done} of ${proof.total} replayed` };
  if (proof.verdict === null) return open("Ended without a result");
  const { word } = VERDICT[proof.verdict];
  return proof.verdict === "proven" ? done(word) : { state: "now", says: word };
}

function released(fix: Fix | null): Standing {
  if (fix === null) return open("Not out yet");
  return fix.startedAt === null ? { state: "now", says: `Waiting: ${releaseWords(fix)}` } : done(releaseWords(fix));
}

function watched(fix: Fix | null): Standing {
  if (fix === null || fix.startedAt === null) return open("Starts with the release");
  const { word } = standingOf(fix);
  if (fix.measured === null || fix.verdict === null) return { state: "now", says: "Measured within the hour" };
  const { before, since } = fix.measured;
  const rates = `${formatPercent(before.rate?.rate)} → ${formatPercent(since.rate?.rate)}`;
  if (fix.verdict === "proven") return done(`${word}: ${rates}`);
  const needed = fix.verdict === "not_enough" ? neededWords({ ...fix.measured, verdict: fix.verdict }) : "";
  return { state: "now", says: needed === "" ? `${word}: ${rates}` : `${word}. ${needed}` };
}
