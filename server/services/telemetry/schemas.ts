import { z } from "zod";
import { SPAN_STATUSES, TELEMETRY_SIGNALS } from "@/db/schema/enumerations";
import { idInput, pageInput, pagination, queryBoolean, queryInteger, queryUnixMs } from "@/server/platform/schemas";
import { cost, usage } from "@/server/services/pricing/schemas";

/** Labels kept of those that a client sends for a conversation (of more, the first in their order), and of people's own. */
export const LABELS_MAX = 20;
/** Characters of a label. */
export const LABEL_CHARACTERS = 200;

/** A part of a message. `text` and `reasoning` carry `text`; any other type survives as it was sent. */
export const messagePart = z.looseObject({ type: z.string(), text: z.string().optional() });
export type MessagePart = z.infer<typeof messagePart>;

/** A tool call that an assistant message asks for. `arguments` is the string as sent. */
export const messageToolCall = z.object({ id: z.string().nullable(), name: z.string(), arguments: z.string() });
export type MessageToolCall = z.infer<typeof messageToolCall>;

/** One message of a conversation. `spanId` names the span that brought it first; `at` is Unix ms. */
export const message = z.object({
  role: z.string(),
  parts: z.array(messagePart),
  toolCalls: z.array(messageToolCall),
  toolCallId: z.string().nullable(),
  spanId: z.string().nullable(),
  at: z.number().nullable(),
});
export type Message = z.infer<typeof message>;
/** With its place in the conversation, from 0: what `messageIndex` of evidence names. */
const placedMessage = message.extend({ index: z.int() });
export type PlacedMessage = z.infer<typeof placedMessage>;

export const spanError = z.object({ type: z.string().nullable(), message: z.string().nullable() });
export type SpanError = z.infer<typeof spanError>;

/** A leaf call of a model (wrappers and twins are not here). `usage` is in disjoint buckets (tokens), `null` when unknown. */
export const modelCall = z.object({
  spanId: z.string(),
  traceId: z.string(),
  name: z.string(),
  provider: z.string().nullable(),
  requestedModel: z.string().nullable(),
  responseModel: z.string().nullable(),
  usage: usage.nullable(),
  rawUsage: z.record(z.string(), z.unknown()).nullable(),
  usageRule: z.string().nullable(),
  finishReasons: z.array(z.string()),
  startedAt: z.number(),
  endedAt: z.number(),
  status: z.enum(SPAN_STATUSES),
  error: spanError.nullable(),
  cost: cost.nullable(),
  reportedCost: z.number().nullable(),
});
export type ModelCall = z.infer<typeof modelCall>;

/** A tool call as its own span recorded it. `arguments` and `result` are text as sent (JSON text when structured). */
export const toolCall = z.object({
  spanId: z.string(),
  callId: z.string().nullable(),
  name: z.string(),
  arguments: z.string().nullable(),
  result: z.string().nullable(),
  error: spanError.nullable(),
  startedAt: z.number(),
  endedAt: z.number(),
});
export type ToolCall = z.infer<typeof toolCall>;

export const SPAN_TYPES = [
  "llm",
  "embedding",
  "tool",
  "agent",
  "chain",
  "retriever",
  "reranker",
  "guardrail",
  "evaluator",
  "other",
] as const;
export type SpanType = (typeof SPAN_TYPES)[number];

/** A span as stored, with how it was read. `unmapped` names the attributes that no reader took. */
export const span = z.object({
  spanId: z.string(),
  parentSpanId: z.string().nullable(),
  name: z.string(),
  type: z.enum(SPAN_TYPES),
  counted: z.boolean(),
  status: z.enum(SPAN_STATUSES),
  startedAt: z.number(),
  endedAt: z.number(),
  attributes: z.record(z.string(), z.unknown()),
  events: z.array(z.object({ name: z.string(), at: z.number(), attributes: z.record(z.string(), z.unknown()) })),
  resource: z.record(z.string(), z.unknown()),
  scope: z.object({ name: z.string(), version: z.string() }),
  unmapped: z.array(z.string()),
});

/** A log record as stored. `spanId` is of the span that it was written in, `at` Unix ms, `severity` OpenTelemetry's number. */
export const log = z.object({
  spanId: z.string().nullable(),
  eventName: z.string().nullable(),
  severity: z.int().nullable(),
  at: z.number(),
  body: z.unknown(),
  attributes: z.record(z.string(), z.unknown()),
  resource: z.record(z.string(), z.unknown()),
  scope: z.object({ name: z.string(), version: z.string() }),
});

/** A conversation in a list. Times are Unix ms, `cost` is US dollars (`null` when no call has a known cost). */
export const conversationSummary = z.object({
  id: z.string(),
  externalId: z.string().nullable(),
  userId: z.string().nullable(),
  preview: z.string().nullable(),
  /** In order of time: by when the first span of each started. */
  traceIds: z.array(z.string()),
  models: z.array(z.string()),
  /** What its client (with tags) and people here have labelled it with, distinct and sorted; `ownLabels` are people's. */
  labels: z.array(z.string()),
  ownLabels: z.array(z.string()),
  startedAt: z.number(),
  lastActivityAt: z.number(),
  messageCount: z.int(),
  modelCallCount: z.int(),
  toolCallCount: z.int(),
  /**
   * What failed, each once: spans with an error, without those that pass on one from below or tell of a call told already;
   * and tool calls whose answer says so where no span does, flagged by the client or by its text.
   */
  errorCount: z.int(),
  findingCount: z.int(),
  usage,
  cost: z.number().nullable(),
  /** Whether `cost` has all of its model calls; otherwise it is at least that. */
  costComplete: z.boolean(),
  /** Model calls without a known cost, which `cost` leaves out. */
  unpricedCallCount: z.int(),
});
export type ConversationSummary = z.infer<typeof conversationSummary>;

/**
 * A conversation with its parts, oldest first: all of them while they are few. Of more the first are here, and the cursor of
 * the part (else `null`) continues them in its own list.
 */
export const conversation = conversationSummary.extend({
  messages: z.array(placedMessage),
  messagesCursor: z.string().nullable(),
  modelCalls: z.array(modelCall),
  modelCallsCursor: z.string().nullable(),
  toolCalls: z.array(toolCall),
  toolCallsCursor: z.string().nullable(),
});

const changedLabels = z.array(z.string().trim().min(1).max(LABEL_CHARACTERS)).max(LABELS_MAX);

/** People's labels to add and to take away: at least one in all, and none in both. */
export const changeLabelsInput = z
  .strictObject({
    conversationId: z.string().min(1).max(1000),
    add: changedLabels.optional(),
    remove: changedLabels.optional(),
  })
  .refine(({ add = [], remove = [] }) => add.length + remove.length > 0, { message: "Send labels in add or remove." })
  .refine(({ add = [], remove = [] }) => !add.some((label) => remove.includes(label)), {
    message: "A label is in add or in remove, and not in both.",
    path: ["remove"],
  })
  // The first refinement, as a JSON Schema says it.
  .meta({
    anyOf: ["add", "remove"].map((name) => ({ required: [name], properties: { [name]: { minItems: 1 } } })),
    examples: [{ add: ["vip"], remove: ["returns"] }],
  });
/** The conversation as it is now, and what this changed of people's labels: nothing that was so before. */
export const changeLabelsReply = z.object({
  conversation: conversationSummary,
  added: z.array(z.string()),
  removed: z.array(z.string()),
});
/** The same to whoever may not read the conversation. */
export const changedLabelsReply = changeLabelsReply.extend({ conversation: conversationSummary.pick({ id: true }) });

export const listConversationsInput = z.strictObject({
  externalId: z.string().max(1000).optional(),
  userId: z.string().max(1000).optional(),
  model: z.string().max(500).optional(),
  /** One of the conversation's labels, exactly. */
  label: z.string().min(1).max(LABEL_CHARACTERS).optional(),
  startedAfter: queryUnixMs.optional(),
  startedBefore: queryUnixMs.optional(),
  hasFindings: queryBoolean().optional(),
  hasErrors: queryBoolean().optional(),
  q: z.string().max(500).optional(),
  ...pageInput,
});
export const conversationsReply = z.object({ conversations: z.array(conversationSummary), pagination });

export const getConversationInput = z.strictObject({ conversationId: z.string().min(1).max(1000) });
export const conversationReply = z.object({ conversation });

export const findSpanInput = z.strictObject({
  conversationId: z.string().min(1).max(1000),
  spanId: z.string().min(1).max(64),
});
export const foundSpanReply = z.object({ span: z.object({ traceId: z.string(), spanId: z.string() }) });

export const listPartsInput = z.strictObject({ ...getConversationInput.shape, ...pageInput });
/** The largest `integer` of Postgres, which a message's place is stored in. */
const MESSAGE_INDEX_MAX = 2 ** 31 - 1;
export const listMessagesInput = listPartsInput.extend({
  /** The message that the list begins with. */
  fromIndex: queryInteger(0, MESSAGE_INDEX_MAX).optional(),
});
/** `toolCalls` are those that these messages name: the newest of each id. */
export const messagesReply = z.object({ messages: z.array(placedMessage), toolCalls: z.array(toolCall), pagination });
export const modelCallsReply = z.object({ modelCalls: z.array(modelCall), pagination });
export const toolCallsReply = z.object({ toolCalls: z.array(toolCall), pagination });

export const getTraceInput = z.strictObject({ traceId: z.string().min(1).max(64) });
/**
 * A trace with its spans and log records, oldest first: all of them while they are few. Of more the first are here, and the
 * cursor (else `null`) continues them in their own list.
 */
export const traceReply = z.object({
  trace: z.object({
    traceId: z.string(),
    conversationId: z.string().nullable(),
    /** Of the whole trace; model calls are those that are counted. */
    spanCount: z.int(),
    modelCallCount: z.int(),
    logCount: z.int(),
    spans: z.array(span),
    spansCursor: z.string().nullable(),
    logs: z.array(log),
    logsCursor: z.string().nullable(),
  }),
});

export const listSpansInput = z.strictObject({
  ...getTraceInput.shape,
  /** The span that the list begins with. */
  fromSpanId: z.string().min(1).max(64).optional(),
  ...pageInput,
});
export const spansReply = z.object({ spans: z.array(span), pagination });
export const listLogsInput = z.strictObject({
  ...getTraceInput.shape,
  /** Only log records of this span. */
  spanId: z.string().min(1).max(64).optional(),
  ...pageInput,
});
export const logsReply = z.object({ logs: z.array(log), pagination });

/** What became of one accepted batch. `stored` + `duplicates` + `rejected` = `received`. */
export const receipt = z.object({
  id: z.string(),
  signal: z.enum(TELEMETRY_SIGNALS),
  received: z.int(),
  accepted: z.int(),
  stored: z.int(),
  duplicates: z.int(),
  rejected: z.int(),
  /** `index` is `null` where a line speaks of several. */
  rejections: z.array(z.object({ index: z.int().nullable(), spanId: z.string().nullable(), reason: z.string() })),
  traceIds: z.array(z.string()),
  /** Credentials that were masked or left out; `null` of batches that came before they were counted. */
  masked: z.int().nullable(),
  createdAt: z.number(),
});
export const getReceiptInput = z.strictObject({ receiptId: idInput });
export const receiptReply = z.object({ receipt });

/** `messages`: whether credentials are masked in the text of messages as well. */
export const updateMaskingInput = z.strictObject({ messages: z.boolean() });
export const maskingReply = z.object({ masking: z.object({ messages: z.boolean() }) });

/** A trace that is stored and could not be rebuilt however often it was tried. */
const parkedTrace = z.object({
  traceId: z.string(),
  attempts: z.int(),
  /** What went wrong the last time. */
  reason: z.string(),
  receivedAt: z.number(),
  createdAt: z.number(),
});
export const listParkedTracesInput = z.strictObject(pageInput);
export const parkedTracesReply = z.object({ parkedTraces: z.array(parkedTrace), pagination });
export const replayedTracesReply = z.object({ replayed: z.int() });
