import type { Attributes, AttributeValue, SentFeedback } from "../types";
import type { SpanView } from "./span-view";

/** The event of OpenTelemetry's GenAI conventions, on the span that was evaluated. */
const EVALUATION = "gen_ai.evaluation.result";
/** Set on a span of its own, below the span that Logfire's `record_feedback` annotates. */
const ANNOTATION = "logfire.feedback.name";

/**
 * Names of evaluations that come from a user. Others come from automatic evaluators, whose score does not express
 * dissatisfaction.
 */
const ASKS_A_USER =
  /user|feedback|thumb|rating|csat|\bnps\b|satisf|survey|\bstars?\b|\blike|vote|human|annotation|customer/i;
const IS_AUTOMATIC = /judge|llm|auto|model/i;
const HUMAN = /^(?:human|user)$/i;

const UP = /^(?:thumbs?[ _-]?up|up|liked?|upvoted?|👍)$/i;
const DOWN = /^(?:thumbs?[ _-]?down|down|disliked?|downvoted?|👎)$/i;

/** Maximum characters of a feedback text, the same as for feedback sent to `/v1`. */
const TEXT_MAX = 10_000;

/** Feedback read from one span, before its target is known. `responseId` names the model call that an event evaluates. */
export type FeedbackFacts = Omit<SentFeedback, "traceId" | "spanId"> & { onParent: boolean; responseId: string | null };

/** Returns the feedback that a span's events, or the span itself, report. */
export function readFeedback({ span, attributes, events }: SpanView): FeedbackFacts[] {
  const found: FeedbackFacts[] = [];
  for (const event of events) {
    if (event.name !== EVALUATION) continue;
    const body = typeof event.body === "object" && !Array.isArray(event.body) ? event.body : null;
    const given: Attributes = body ? Object.assign(Object.create(null), body, event.attributes) : event.attributes;
    const value = given["gen_ai.evaluation.score.value"] ?? null;
    const label = textOf(given["gen_ai.evaluation.score.label"]);
    const explanation = textOf(given["gen_ai.evaluation.explanation"]);
    const name = textOf(given["gen_ai.evaluation.name"]) ?? "evaluation";
    const by = textOf(given["gen_ai.evaluation.evaluator.type"]) ?? "";
    const read = evaluationOf({
      name,
      value: UP.test(label ?? "") || DOWN.test(label ?? "") ? label : (value ?? label),
      explanation,
    });
    if (read) {
      found.push({
        ...read,
        givenByUser: read.givenByUser || HUMAN.test(by),
        atUs: event.timeUs,
        onParent: false,
        responseId: textOf(given["gen_ai.response.id"]),
      });
    }
  }
  const annotated = textOf(attributes[ANNOTATION]);
  if (annotated !== null) {
    const explanation = textOf(attributes["logfire.feedback.comment"]);
    const read = evaluationOf({ name: annotated, value: attributes[annotated] ?? null, explanation });
    if (read) found.push({ ...read, atUs: span.startedUs, onParent: true, responseId: null });
  }
  return found;
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
