import type { EVALUATOR_KINDS } from "@/db/schema/enumerations";
import type { GivenFeedback } from "../convention";
import type { AttributeValue, SentFeedback } from "../types";
import { sourcesOf } from "./precedence";
import type { SpanView } from "./span-view";

const FEEDBACK = sourcesOf("feedback");

/**
 * Names of evaluations that come from a user. Others come from automatic evaluators, whose score does not express
 * dissatisfaction.
 */
const ASKS_A_USER =
  /user|feedback|thumb|rating|csat|\bnps\b|satisf|survey|\bstars?\b|\blike|vote|human|annotation|customer/i;
const IS_AUTOMATIC = /judge|llm|auto|model/i;
/** What conventions call those who judge. */
const EVALUATORS: readonly (readonly [RegExp, (typeof EVALUATOR_KINDS)[number]])[] = [
  [/^(?:human|user|annotator)$/i, "human"],
  [/^(?:llm|model|llm[_-]judge)$/i, "model"],
  [/^(?:code|program|heuristic|rule|function)$/i, "code"],
];

const UP = /^(?:thumbs?[ _-]?up|up|liked?|upvoted?|👍)$/i;
const DOWN = /^(?:thumbs?[ _-]?down|down|disliked?|downvoted?|👎)$/i;

/** Maximum characters of a feedback text, the same as for feedback sent to `/v1`. */
const TEXT_MAX = 10_000;

/** Feedback read from one span, before its target is known. `responseId` names the model call that an event evaluates. */
export type FeedbackFacts = Omit<SentFeedback, "traceId" | "spanId"> & { onParent: boolean; responseId: string | null };

/** Returns the feedback that a span's events, or the span itself, report. */
export function readFeedback(view: SpanView): FeedbackFacts[] {
  return FEEDBACK.flatMap(({ read }) => read(view)).flatMap((given) => feedbackOf(given) ?? []);
}

function feedbackOf({ atUs, onParent, ...given }: GivenFeedback): FeedbackFacts | null {
  const label = textOf(given.label);
  const read = evaluationOf({
    name: textOf(given.name) ?? "evaluation",
    value: UP.test(label ?? "") || DOWN.test(label ?? "") ? label : (given.value ?? label),
    explanation: textOf(given.comment),
  });
  if (!read) return null;
  const said = textOf(given.evaluator) ?? "";
  const evaluatorKind = EVALUATORS.find(([names]) => names.test(said))?.[1] ?? null;
  // Who says so of itself is believed before its name is.
  const givenByUser = evaluatorKind === null ? read.givenByUser : evaluatorKind === "human";
  return { ...read, evaluatorKind, givenByUser, atUs, onParent, responseId: textOf(given.responseId) };
}

const textOf = (value: AttributeValue | undefined) =>
  typeof value === "string" && value.trim() !== "" ? value.slice(0, TEXT_MAX).toWellFormed() : null;

type Evaluation = { name: string; value: AttributeValue; explanation: string | null };

function evaluationOf({ name, value, explanation }: Evaluation) {
  const asksUser = ASKS_A_USER.test(name) && !IS_AUTOMATIC.test(name);
  const whole = { name, comment: explanation, givenByUser: asksUser };
  if (typeof value === "boolean") {
    return asksUser
      ? { ...whole, kind: "thumb" as const, value: value ? "up" : "down" }
      : { ...whole, kind: "score" as const, value: value ? 1 : 0 };
  }
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number === "number" && Number.isFinite(number)) return { ...whole, kind: "score" as const, value: number };
  const label = textOf(value);
  if (label === null) return null;
  if (UP.test(label)) return { ...whole, kind: "thumb" as const, value: "up", givenByUser: true };
  if (DOWN.test(label)) return { ...whole, kind: "thumb" as const, value: "down", givenByUser: true };
  return { ...whole, kind: "comment" as const, value: label };
}
