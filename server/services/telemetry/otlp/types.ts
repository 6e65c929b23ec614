import type { EVALUATOR_KINDS } from "@/db/schema/enumerations";
import type { Message, ModelCall, SpanType, ToolCall } from "../schemas";

/** A JSON value that Postgres `jsonb` can store: no NUL, no lone surrogate. Byte values are base64 text. */
export type AttributeValue = string | number | boolean | null | AttributeValue[] | { [key: string]: AttributeValue };
/** Attributes by name, in an object without a prototype, so that `__proto__` is an ordinary name. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

export type SpanEvent = { name: string; timeUs: number; attributes: Attributes };

/** A decoded and sanitised span. Ids are lower-case hex, times Unix microseconds. */
export type SpanRecord = {
  traceId: string;
  spanId: string;
  parentSpanId: string | null;
  name: string;
  kind: number;
  scope: { name: string; version: string };
  resource: Attributes;
  attributes: Attributes;
  events: readonly SpanEvent[];
  status: { code: 0 | 1 | 2; message: string | null };
  startedUs: number;
  endedUs: number;
  /** Where it stands among the spans of its project in order of arrival; later is greater. */
  arrival: number;
};

/** A decoded log record (an OpenTelemetry event). Some clients send content only in these, some without a trace id. */
export type LogRecord = {
  traceId: string | null;
  spanId: string | null;
  eventName: string | null;
  timeUs: number;
  severity: number | null;
  body: AttributeValue;
  attributes: Attributes;
  resource: Attributes;
  scope: { name: string; version: string };
};

/** Why an item of a batch was rejected. `index` is its zero-based position in the batch. */
export type Rejection = { index: number; spanId: string | null; reason: string };
export type Decoded<Item> = { items: Item[]; received: number; rejections: Rejection[] };

/** The conversation and user that a trace belongs to. `externalId` is the client's own conversation (session) id. */
export type TraceIdentity = { externalId: string | null; userId: string | null };

/** The interpretation of a span, recomputed on every read. */
export type SpanReading = { type: SpanType; unmapped: string[] };

/** A model call before it is priced. */
export type UnpricedModelCall = Omit<ModelCall, "cost"> & { type: "llm" | "embedding"; responseId: string | null };

/** Feedback received with telemetry: an evaluation event, or an annotation span. */
export type SentFeedback = {
  traceId: string;
  /** The span that the feedback is attached to. */
  spanId: string;
  kind: "thumb" | "score" | "comment";
  name: string;
  value: string | number;
  comment: string | null;
  /** Who judged; null if it does not say. */
  evaluatorKind: (typeof EVALUATOR_KINDS)[number] | null;
  /** False for the score of an automatic evaluation. */
  givenByUser: boolean;
  atUs: number;
};

/** `requestNumber`: 0 with a tool span of its own, else which of the calls that its span's messages request, from 1. */
export type AssembledToolCall = ToolCall & { traceId: string; requestNumber: number };

/** A conversation assembled from its spans and logs, independent of their order of arrival. */
export type AssembledConversation = {
  messages: (Message & { traceId: string })[];
  /** Leaf calls only, without wrappers and duplicates. */
  modelCalls: UnpricedModelCall[];
  /** Distinct calls, oldest first: those with a tool span of their own, and those seen only in messages. */
  toolCalls: AssembledToolCall[];
  /** Failed spans and tool results, without wrappers that only propagate the error of a child. */
  errorCount: number;
  userId: string | null;
  /** Oldest first. */
  feedback: SentFeedback[];
  /** Distinct and sorted, as are versions, prompts and arms. */
  labels: string[];
  /** What of the application sent it: its name with its version or release. */
  versions: string[];
  /** Names of managed prompts, with their version if sent. */
  prompts: string[];
  /** Arms of experiments of the gateway. */
  arms: string[];
  /** Unix ms. */
  startedAt: number;
  lastActivityAt: number;
};
