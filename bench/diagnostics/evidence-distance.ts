import type { DiagnosedSignal, LabelledConversation } from "@/bench/labelled";
import { speaksUp } from "./healthy";
import type { Diagnosed } from "./readings";

/**
 * `n` conversations have a decisive step; something is reported in `found` of them. In `near` of them the best evidence is
 * within one step of the decisive one, in `anyNear` any evidence is.
 */
export type EvidenceDistance = { n: number; found: number; near: number; anyNear: number };

const NEAR_STEPS = 1;

/** Measures how far the best evidence is from the step that the labels call decisive. */
export function evidenceDistance(diagnosed: readonly Diagnosed[]): EvidenceDistance {
  const measured = diagnosed.flatMap(({ conversation, found }) => {
    const step = decisiveStep(conversation);
    return step === null ? [] : [evidenceSteps(found).map((index) => Math.abs(index - step) <= NEAR_STEPS)];
  });
  return {
    n: measured.length,
    found: measured.filter((near) => near.length > 0).length,
    near: measured.filter(([best]) => best === true).length,
    anyNear: measured.filter((near) => near.includes(true)).length,
  };
}

/** AgentRx marks the root cause among its failing steps, Who&When the one decisive step. */
function decisiveStep({ turn_labels, labels }: LabelledConversation): number | null {
  const root = turn_labels?.find(({ root_cause, label }) => root_cause === true || label === "decisive_error");
  if (root) return root.index;
  return typeof labels?.root_index === "number" ? labels.root_index : null;
}

/** Returns the messages quoted, those of the most confident Signal first. */
function evidenceSteps(found: readonly DiagnosedSignal[]): number[] {
  return found
    .filter(speaksUp)
    .sort((a, b) => b.confidence - a.confidence || b.score - a.score)
    .flatMap(({ evidence }) => evidence.flatMap(({ messageIndex }) => (messageIndex === null ? [] : [messageIndex])));
}
