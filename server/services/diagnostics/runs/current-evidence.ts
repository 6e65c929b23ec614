import type { DiagnosedSnapshot } from "../baselines/snapshots-with-baseline";
import type { RuleOccurrence } from "../rules";

/** Maps evidence from messages of a snapshot to those of the current conversation, which may have more. */
export const currentEvidence = (
  occurrence: RuleOccurrence,
  { positions }: Pick<DiagnosedSnapshot, "positions">,
): RuleOccurrence => ({
  ...occurrence,
  evidence: occurrence.evidence.map((one) => ({
    ...one,
    messageIndex: one.messageIndex === null ? null : (positions[one.messageIndex] ?? null),
  })),
});
