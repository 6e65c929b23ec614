import type { Message, ModelCall, SpanType, ToolCall } from "../schemas";

/** A JSON value as Postgres `jsonb` can hold it: no NUL, no lone surrogate. Byte values arrive as base64 text. */
export type AttributeValue = string | number | boolean | null | AttributeValue[] | { [key: string]: AttributeValue };
/** Attributes by name, in a null-prototype object, so that `__proto__` is a name like any other. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

export type SpanEvent = { name: string; timeUs: number; attributes: Attributes };

/** A span as it came over the wire, decoded and cleaned. Ids are lower-case hex. Times are Unix microseconds. */
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
};

/** A log record (an OpenTelemetry event) as it came. Some clients send content only here; some without a trace id. */
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

/** Why one item of a batch was refused. `index` counts the items of the batch from 0. */
export type Rejection = { index: number; spanId: string | null; reason: string };
export type Decoded<Item> = { items: Item[]; received: number; rejections: Rejection[] };

/** What one trace says about who it belongs to. `externalId` is the client's own conversation (session) id. */
export type TraceIdentity = { externalId: string | null; userId: string | null };

/** How one span was read: computed afresh whenever it is shown. */
export type SpanReading = { type: SpanType; unmapped: string[] };

/** A model call before it is priced. */
export type UnpricedModelCall = Omit<ModelCall, "cost"> & { type: "llm" | "embedding"; responseId: string | null };

/** Everything that the spans and logs of one conversation say, in any order of arrival. */
export type AssembledConversation = {
  messages: (Message & { traceId: string })[];
  /** Leaf calls only: wrappers and twins are left out. */
  modelCalls: UnpricedModelCall[];
  /** Calls that have a tool span of their own. */
  toolCalls: (ToolCall & { traceId: string })[];
  /** Distinct tool calls, those seen only in messages included. */
  toolCallCount: number;
  /** Spans with an error, other than wrappers that only pass on the error of a child. */
  errorCount: number;
  userId: string | null;
  /** Distinct and sorted. */
  labels: string[];
  /** Unix ms. */
  startedAt: number;
  lastActivityAt: number;
};
