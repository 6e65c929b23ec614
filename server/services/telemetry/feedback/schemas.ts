import { z } from "zod";
import { EVALUATOR_KINDS, FEEDBACK_KINDS, FEEDBACK_SOURCES } from "@/db/schema/enumerations";
import { filledText, pageInput, pagination } from "@/server/platform/schemas";

export const feedbackKind = z.enum(FEEDBACK_KINDS);

const TEXT_MAX = 10_000;
const text = filledText(TEXT_MAX);
const evaluatorKind = z.enum(EVALUATOR_KINDS);
const scale = z.strictObject({ min: z.number(), max: z.number() });

/** Feedback of a user or an evaluator on a conversation or on one of its turns. Times are Unix ms. */
export const feedback = z.object({
  id: z.string(),
  /** `null` until the conversation's telemetry has arrived. */
  conversationId: z.string().nullable(),
  conversationExternalId: z.string().nullable(),
  traceId: z.string().nullable(),
  spanId: z.string().nullable(),
  kind: feedbackKind,
  /** `up` or `down`, the number of a score, or the text of a comment or correction. */
  value: z.union([z.string(), z.number()]),
  scale: scale.nullable(),
  comment: z.string().nullable(),
  /** What was judged, such as `relevance`; `null` for feedback without a name. */
  name: z.string().nullable(),
  source: z.enum(FEEDBACK_SOURCES),
  /** Who judged: a person, a model or a program; `null` if telemetry does not say. */
  evaluatorKind: evaluatorKind.nullable(),
  /** Whether a user gave it; `false` for the score of an automatic evaluation. */
  givenByUser: z.boolean(),
  /** The assistant's message of its span or trace; `null` for feedback on the conversation. */
  messageIndex: z.int().nullable(),
  givenAt: z.number(),
});
export type Feedback = z.infer<typeof feedback>;

/** Feedback as a Rule reads it. Times are Unix ms. */
export type SnapshotFeedback = Pick<
  Feedback,
  "kind" | "value" | "scale" | "comment" | "name" | "givenByUser" | "messageIndex"
> & { at: number };

const THUMBS: ReadonlyMap<unknown, "up" | "down"> = new Map<unknown, "up" | "down">([
  ["up", "up"],
  [true, "up"],
  [1, "up"],
  ["down", "down"],
  [false, "down"],
  [0, "down"],
  [-1, "down"],
]);

type Given = { kind: z.infer<typeof feedbackKind>; value: string | number | boolean };

/** Returns the value as it is stored; `null` where the kind does not allow it. */
export function feedbackValue({ kind, value }: Given): string | number | null {
  if (kind === "thumb") return THUMBS.get(value) ?? null;
  if (kind === "score") return typeof value === "number" ? value : null;
  return typeof value === "string" ? value : null;
}

const VALUES: Record<Given["kind"], string> = {
  thumb: "up or down (or true, false, 1, 0, -1)",
  score: "a number",
  comment: "text",
  correction: "text",
};

export const createFeedbackInput = z
  .strictObject({
    /** The client's own conversation id, or ours. */
    conversationId: z.string().min(1).max(1000),
    traceId: z
      .string()
      .regex(/^[0-9a-fA-F]{32}$/, "A trace id has 32 hexadecimal digits.")
      .toLowerCase()
      .optional(),
    spanId: z
      .string()
      .regex(/^[0-9a-fA-F]{16}$/, "A span id has 16 hexadecimal digits.")
      .toLowerCase()
      .optional(),
    kind: feedbackKind,
    value: z.union([text, z.number(), z.boolean()]),
    /** The ends of a score's scale. Without it, the smallest usual scale that contains the score is assumed. */
    scale: scale.refine(({ min, max }) => min < max, "The scale's min must be below its max.").optional(),
    comment: text.optional(),
    /** What was judged, such as `relevance`: feedback of another name on the same turn is kept beside it. */
    name: filledText(200).optional(),
    /** Who judged: a person, a model or a program. What only an evaluator says is no user's dissatisfaction. */
    evaluatorKind: evaluatorKind.default("human"),
  })
  .superRefine((given, context) => {
    const { kind, value, scale: ends } = given;
    const refuse = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    if (feedbackValue(given) === null) refuse("value", `The value of a ${kind} must be ${VALUES[kind]}.`);
    if (given.evaluatorKind !== "human" && given.name === undefined) {
      refuse("name", "An evaluator's result must have the evaluator's name.");
    }
    if (ends && kind !== "score") refuse("scale", "Only a score can have a scale.");
    else if (ends && typeof value === "number" && (value < ends.min || value > ends.max)) {
      refuse("value", "The score is outside its scale.");
    }
  })
  .meta({ examples: [{ conversationId: "chat-4711", kind: "thumb", value: "down", comment: "Wrong order" }] });

export const feedbackReply = z.object({ feedback });
/** For a caller without read access: what it sent, plus our id. */
export const givenFeedbackReply = z.object({
  feedback: feedback.pick({
    id: true,
    traceId: true,
    spanId: true,
    kind: true,
    value: true,
    scale: true,
    comment: true,
    name: true,
    evaluatorKind: true,
  }),
});

export const listFeedbackInput = z.strictObject({
  /** Our id or the client's own, even if no telemetry has arrived for it. */
  conversationId: z.string().max(1000).optional(),
  kind: feedbackKind.optional(),
  ...pageInput,
});
export const feedbackPageReply = z.object({ feedback: z.array(feedback), pagination });
