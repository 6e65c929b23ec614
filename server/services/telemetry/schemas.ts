import { z } from "zod";
import { COMPACTION_STATES, SPAN_STATUSES, TELEMETRY_SIGNALS } from "@/db/schema/enumerations";
import {
  filledText,
  idInput,
  listFormat,
  oneOrSeveral,
  pageInput,
  pagination,
  queryBoolean,
  queryInteger,
  queryNumber,
  queryUnixMs,
  sortOrder,
} from "@/server/platform/schemas";
import { cost, usage } from "@/server/services/pricing/schemas";

/** Maximum labels stored per conversation from the client (the first in sort order), and separately from people. */
export const LABELS_MAX = 20;
/** Characters in a label. */
export const LABEL_CHARACTERS = 200;

/** A part of a message. `text` and `reasoning` carry `text`; any other type is stored as sent. */
export const messagePart = z.looseObject({ type: z.string(), text: z.string().optional() });
export type MessagePart = z.infer<typeof messagePart>;

/** A tool call that an assistant message requests. `arguments` is the string as sent. */
export const messageToolCall = z.object({ id: z.string().nullable(), name: z.string(), arguments: z.string() });
export type MessageToolCall = z.infer<typeof messageToolCall>;

/** One message of a conversation. `spanId` is the first span that contained it; `at` is Unix ms. */
export const message = z.object({
  role: z.string(),
  parts: z.array(messagePart),
  toolCalls: z.array(messageToolCall),
  toolCallId: z.string().nullable(),
  spanId: z.string().nullable(),
  agent: z
    .string()
    .nullable()
    .describe(
      "The inner agent whose call was the first to contain it, to which another agent or a tool speaks as `user`; `null` for the conversation's own messages.",
    ),
  at: z.number().nullable(),
});
export type Message = z.infer<typeof message>;

/** Returns whether the user wrote a message, and not an agent or a tool that speaks to an inner agent in the user's role. */
export const isByUser = ({ role, agent }: Pick<Message, "role" | "agent">): boolean =>
  role === "user" && agent === null;

/**
 * Returns those of the messages before an answer that its model was sent. An inner agent that was told something has only its own
 * messages; one that was handed the conversation has this, too.
 */
export function sentFor<One extends Pick<Message, "role" | "agent">>(
  { agent }: Pick<Message, "agent">,
  before: readonly One[],
): readonly One[] {
  const own = before.filter((one) => one.agent === agent);
  return agent === null || own.some(({ role }) => role === "user")
    ? own
    : before.filter((one) => one.agent === agent || one.agent === null);
}
/** A message with its zero-based index in the conversation, which `messageIndex` of evidence refers to. */
const placedMessage = message.extend({ index: z.int() });
export type PlacedMessage = z.infer<typeof placedMessage>;

export const spanError = z.object({ type: z.string().nullable(), message: z.string().nullable() });
export type SpanError = z.infer<typeof spanError>;

/** The managed prompt that a call was made from, as its spans name it; `version` is null if they do not. */
export const promptReference = z.object({ name: z.string(), version: z.string().nullable() });
export type PromptReference = z.infer<typeof promptReference>;
/** How a conversation's traits name a prompt. */
export const promptText = ({ name, version }: PromptReference) => (version === null ? name : `${name} ${version}`);

/** A leaf model call (wrappers and duplicate spans are excluded). `usage` is in disjoint token buckets, `null` when unknown. */
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
  prompt: promptReference.nullable(),
});
export type ModelCall = z.infer<typeof modelCall>;

/** A tool call as its span recorded it. `arguments` and `result` are text as sent (JSON text when structured). */
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

/**
 * A tool call of a conversation. `message`: no span reports it, so `spanId` is the span whose messages request it, and the
 * times are those of the messages with the request and its result.
 */
const reportedToolCall = toolCall.extend({ reported: z.enum(["span", "message"]) });

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

/** A span as stored, with its interpretation. `unmapped` lists the attributes that no reader recognised. */
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

/** A log record as stored. `spanId` is the span it was written in, `at` is Unix ms, `severity` OpenTelemetry's severity number. */
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
  /** Ordered by the start of each trace's first span. */
  traceIds: z.array(z.string()),
  models: z.array(z.string()),
  /** Labels from the client (its tags) and from people here, distinct and sorted; `ownLabels` are people's only. */
  labels: z.array(z.string()),
  ownLabels: z.array(z.string()),
  startedAt: z.number(),
  lastActivityAt: z.number(),
  messageCount: z.int(),
  modelCallCount: z.int(),
  toolCallCount: z.int(),
  /**
   * Distinct failures: spans with an error, except those that propagate a child's error or repeat a call that is already
   * counted, and tool calls whose result reports a failure (flagged by the client, or by its text) that no span reports.
   */
  errorCount: z.int(),
  findingCount: z.int(),
  usage,
  cost: z.number().nullable(),
  /** Whether `cost` covers all model calls; otherwise it is a lower bound. */
  costComplete: z.boolean(),
  /** Model calls without a known cost, which `cost` excludes. */
  unpricedCallCount: z.int(),
});
export type ConversationSummary = z.infer<typeof conversationSummary>;

/** Changes whenever the conversation, its messages or its calls change; has no other meaning. */
const version = z.string();

/**
 * A conversation with its messages and calls, oldest first. When there are too many for one reply, only the first are
 * included and the matching cursor (otherwise `null`) continues them in their own list.
 */
export const conversation = conversationSummary.extend({
  version,
  messages: z.array(placedMessage),
  messagesCursor: z.string().nullable(),
  modelCalls: z.array(modelCall),
  modelCallsCursor: z.string().nullable(),
  toolCalls: z.array(reportedToolCall),
  toolCallsCursor: z.string().nullable(),
});

const changedLabels = z.array(filledText(LABEL_CHARACTERS)).max(LABELS_MAX);

/** People's labels to add and to remove: at least one in total, and none in both lists. */
export const changeLabelsInput = z
  .strictObject({
    conversationId: z.string().min(1).max(1000),
    add: changedLabels.optional(),
    remove: changedLabels.optional(),
  })
  .refine(({ add = [], remove = [] }) => add.length + remove.length > 0, { message: "Send labels in add or remove." })
  .refine(({ add = [], remove = [] }) => !add.some((label) => remove.includes(label)), {
    message: "A label cannot be in both add and remove.",
    path: ["remove"],
  })
  // The first refinement, expressed as JSON Schema.
  .meta({
    anyOf: ["add", "remove"].map((name) => ({ required: [name], properties: { [name]: { minItems: 1 } } })),
    examples: [{ add: ["vip"], remove: ["returns"] }],
  });
/** The updated conversation, and the labels that this request actually added and removed. */
export const changeLabelsReply = z.object({
  conversation: conversationSummary,
  added: z.array(z.string()),
  removed: z.array(z.string()),
});
/** The reply for callers that may not read the conversation. */
export const changedLabelsReply = changeLabelsReply.extend({ conversation: conversationSummary.pick({ id: true }) });

/** What conversations are filtered by beside their own columns, and several of each may occur in one. */
export const CONVERSATION_TRAITS = ["provider", "version", "tool", "prompt", "arm", "language"] as const;
export type ConversationTrait = (typeof CONVERSATION_TRAITS)[number];
/** A value is cut to this length, and of a dimension this many of a conversation are kept, the first in sort order. */
export const TRAIT_CHARACTERS = 200;
export const TRAIT_VALUES_MAX = 50;
/** Any of these, each an exact match of one of the conversation's values. */
const traitFilter = (description: string) =>
  oneOrSeveral(z.string().min(1).max(TRAIT_CHARACTERS)).optional().describe(description);

export const CONVERSATION_SORTS = ["started", "last_activity", "cost", "tokens", "messages", "duration"] as const;
export type ConversationSort = (typeof CONVERSATION_SORTS)[number];

/** US dollars: beyond what a conversation can cost. */
export const COST_MAX = 1e9;

/** Filters of the list, which counts and bulk actions take too. */
export const conversationFilters = z.strictObject({
  externalId: z.string().max(1000).optional(),
  userId: z.string().max(1000).optional(),
  /** `false`: only conversations for which the client named no user. */
  hasUser: queryBoolean().optional(),
  /** Any of these. */
  model: oneOrSeveral(z.string().max(500)).optional(),
  /** Any of these, each an exact match of one of the conversation's labels. */
  label: oneOrSeveral(z.string().min(1).max(LABEL_CHARACTERS)).optional(),
  provider: traitFilter("Only conversations with a call of this provider; repeated, of any of them."),
  version: traitFilter(
    "Only conversations from this version or release, after the name of its service, as in `shop 2.4.0`; repeated, from any of them.",
  ),
  tool: traitFilter("Only conversations in which this tool was called; repeated, any of them."),
  prompt: traitFilter(
    "Only conversations with a call of this managed prompt, followed by its version if one is sent, as in `refund 3`; repeated, of any of them.",
  ),
  arm: traitFilter(
    "Only conversations in this arm of an experiment of the gateway, as in `fast #1 variant`; repeated, in any of them.",
  ),
  language: traitFilter(
    "Only conversations whose user writes in this language, as an ISO 639-1 code such as `de`; repeated, in any of them.",
  ),
  startedAfter: queryUnixMs.optional(),
  startedBefore: queryUnixMs.optional(),
  hasFindings: queryBoolean().optional(),
  /** Only conversations in which this Finding occurred. */
  findingId: z.string().max(100).optional(),
  hasErrors: queryBoolean().optional(),
  /** Whether users of the application gave feedback on it; scores of automatic evaluations do not count. */
  hasFeedback: queryBoolean().optional(),
  hasThumbsDown: queryBoolean()
    .optional()
    .describe("Whether a user of the application gave it, or one of its turns, a thumbs down."),
  /** US dollars, inclusive: of conversations with a known cost, even one that is a lower bound. */
  minCost: queryNumber(0, COST_MAX).optional(),
  maxCost: queryNumber(0, COST_MAX).optional(),
  /** Milliseconds from the start to the last activity, inclusive. */
  minDurationMs: queryInteger(0).optional(),
  maxDurationMs: queryInteger(0).optional(),
  q: z.string().max(500).optional(),
});
export const listConversationsInput = z.strictObject({
  ...conversationFilters.shape,
  sort: z.enum(CONVERSATION_SORTS).default("started"),
  order: sortOrder.default("desc"),
  ...pageInput,
});
/** `order` is that of their start. */
export const downloadConversationsInput = z.strictObject({
  ...conversationFilters.shape,
  order: sortOrder.default("desc"),
  format: listFormat,
});
/** Where a searched word is in a conversation: `before`, `found` and `after` are consecutive pieces of a message's text. */
const searchMatch = z.object({ messageIndex: z.int(), before: z.string(), found: z.string(), after: z.string() });
export type SearchMatch = z.infer<typeof searchMatch>;
const listedConversation = conversationSummary.extend({ match: searchMatch.nullable() });
export type ListedConversation = z.infer<typeof listedConversation>;

/** `sampled`: more conversations match than are sorted. */
export const conversationsReply = z.object({
  conversations: z.array(listedConversation),
  sampled: z.boolean(),
  pagination,
});

export const CONVERSATIONS_COUNTED = 10_000;
/** `more`: `count` is where counting stopped. */
export const conversationCountReply = z.object({ count: z.int(), more: z.boolean() });
/** `from` is the inclusive start of a bucket, Unix ms; `width` in ms is `null` without any conversation. */
export const conversationHistogramReply = z.object({
  width: z.int().nullable(),
  buckets: z.array(z.object({ from: z.number(), count: z.int(), sampled: z.boolean() })),
});

/** Items of each kind that the reply for a conversation or trace embeds: enough for nearly all of them. */
export const EMBEDDED_PARTS_MAX = 1000;
/** Maximum number of items of each kind to include. With 0 there are none and no cursors: each list is read from its start. */
const embeddedParts = queryInteger(0, EMBEDDED_PARTS_MAX).default(EMBEDDED_PARTS_MAX);

const conversationInput = z.strictObject({ conversationId: z.string().min(1).max(1000) });
export const getConversationInput = conversationInput.extend({ parts: embeddedParts });
export const conversationReply = z.object({ conversation });

export const findContinuedInput = conversationInput;
/**
 * The conversation whose messages this one repeats before its own: `messages` is their number. `instrumentation` is the name of
 * what sent this one.
 */
export const continuedReply = z.object({
  continued: z
    .object({ conversationId: z.string(), preview: z.string().nullable(), startedAt: z.number(), messages: z.int() })
    .nullable(),
  instrumentation: z.string().nullable(),
});

export const joinConversationInput = conversationInput
  .extend({ into: z.string().min(1).max(1000).describe("The conversation that it continues, by either id.") })
  .meta({ examples: [{ into: "conv_01a1b2c3d4e5f60718293a4b5c6d7e8f" }] });
/** The conversation that has both now. */
export const joinedReply = z.object({ conversationId: z.string() });

export const findSpanInput = z.strictObject({
  conversationId: z.string().min(1).max(1000),
  spanId: z.string().min(1).max(64),
});
export const foundSpanReply = z.object({ span: z.object({ traceId: z.string(), spanId: z.string() }) });

export const locateInput = z.strictObject({ telemetryId: z.string().trim().min(1).max(1000) });
/** Where an id leads: a conversation (`traceId` and `spanId` null), one of its traces (`spanId` null), or a span of it. */
export const locatedReply = z.object({
  location: z.object({
    conversationId: z.string(),
    traceId: z.string().nullable(),
    spanId: z.string().nullable(),
  }),
});

export const listPartsInput = z.strictObject({ ...conversationInput.shape, ...pageInput });
/** The largest Postgres `integer`, the type of a message's index. */
const MESSAGE_INDEX_MAX = 2 ** 31 - 1;
export const listMessagesInput = listPartsInput.extend({
  /** Index of the first message to return. */
  fromIndex: queryInteger(0, MESSAGE_INDEX_MAX).optional(),
  /** Only messages that this span was the first to send. */
  spanId: z.string().min(1).max(64).optional(),
});
/** `version` is the conversation's version from before the parts were read: they are current as long as it is unchanged. */
const parts = z.object({ version, pagination });
/** `toolCalls` are those with a span of their own that these messages refer to: the newest for each id. */
export const messagesReply = parts.extend({ messages: z.array(placedMessage), toolCalls: z.array(toolCall) });
export const modelCallsReply = parts.extend({ modelCalls: z.array(modelCall) });
export const toolCallsReply = parts.extend({ toolCalls: z.array(reportedToolCall) });

const traceInput = z.strictObject({ traceId: z.string().min(1).max(64) });
export const getTraceInput = traceInput.extend({ parts: embeddedParts });
/**
 * A trace with its spans and log records, oldest first. When there are too many for one reply, only the first are included
 * and the matching cursor (otherwise `null`) continues them in their own list.
 */
export const traceReply = z.object({
  trace: z.object({
    traceId: z.string(),
    conversationId: z.string().nullable(),
    /** Counts over the whole trace; model calls exclude wrappers and duplicates. */
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
  ...traceInput.shape,
  /** Id of the first span to return. */
  fromSpanId: z.string().min(1).max(64).optional(),
  ...pageInput,
});
export const spansReply = z.object({ spans: z.array(span), pagination });
/** Spans on a page of outlines: a page of them is as long as one of spans. */
export const OUTLINES_MAX = 2000;
export const listSpanOutlinesInput = z.strictObject({
  ...traceInput.shape,
  ...pageInput,
  limit: queryInteger(1, OUTLINES_MAX)
    .default(OUTLINES_MAX)
    .describe("At most this many spans, fewer when they have many attributes."),
});
/** What a tree of spans shows of one. `usage` and `cost` (US dollars) are `null` when unknown, and when it is no model call. */
const spanOutline = span
  .pick({
    spanId: true,
    parentSpanId: true,
    name: true,
    type: true,
    counted: true,
    status: true,
    startedAt: true,
    endedAt: true,
  })
  .extend({
    model: z.string().nullable().describe("The model that answered, or the one requested."),
    usage: usage
      .nullable()
      .describe("Tokens and other units in disjoint buckets; `null` when unknown or no model call."),
    cost: z.number().nullable().describe("US dollars; `null` when unknown or no model call."),
    words: z.string().nullable().describe("The first words of its message, tool call or error, on one line."),
  });
export type SpanOutline = z.infer<typeof spanOutline>;
export const spanOutlinesReply = z.object({
  spans: z.array(spanOutline),
  unmapped: z.array(z.string()).describe("Names of the attributes on this page that no reader recognised."),
  pagination,
});
export const listLogsInput = z.strictObject({
  ...traceInput.shape,
  /** Returns only the log records of this span. */
  spanId: z.string().min(1).max(64).optional(),
  ...pageInput,
});
export const logsReply = z.object({ logs: z.array(log), pagination });

/** The outcome of one accepted batch. `stored` + `duplicates` + `rejected` = `received`. */
export const receipt = z.object({
  id: z.string(),
  signal: z.enum(TELEMETRY_SIGNALS),
  received: z.int(),
  accepted: z.int(),
  stored: z.int(),
  duplicates: z.int(),
  rejected: z.int(),
  /** `index` is `null` where an entry covers several items. */
  rejections: z.array(z.object({ index: z.int().nullable(), spanId: z.string().nullable(), reason: z.string() })),
  traceIds: z.array(z.string()),
  /** Credentials that were masked or dropped; `null` for batches from before they were counted. */
  masked: z.int().nullable(),
  /**
   * Texts under the name of a conversation's or user's id that are no ids (`undefined`, `{{session_id}}`, zeros), which would join
   * strangers: they are stored, but not used. The most frequent first, at most 20; `null` for batches from before they were listed.
   */
  ignoredIds: z.array(z.object({ attribute: z.string(), value: z.string(), items: z.int() })).nullable(),
  createdAt: z.number(),
});
export const getReceiptInput = z.strictObject({ receiptId: idInput });
export const receiptReply = z.object({ receipt });

/** `messages`: whether credentials in message text are masked as well. */
export const updateMaskingInput = z.strictObject({ messages: z.boolean() });
export const maskingReply = z.object({ masking: z.object({ messages: z.boolean() }) });

export const updateCompactionInput = z.strictObject({ paused: z.boolean() });
export const compactionReply = z.object({
  compaction: z
    .object({
      state: z.enum(COMPACTION_STATES),
      /** Spans and log records examined, and how many of them were long enough to move. */
      rowsExamined: z.int(),
      rowsMoved: z.int(),
      /** Characters no longer stored, because other rows contain them too. */
      charactersSaved: z.int(),
      /** Unix ms. */
      startedAt: z.number(),
      completedAt: z.number().nullable(),
    })
    /** `null`: the project has no telemetry from before repeated content was stored once. */
    .nullable(),
});

/** A stored trace that could not be turned into a conversation after all retries. */
const parkedTrace = z.object({
  traceId: z.string(),
  attempts: z.int(),
  /** The error of the last attempt. */
  reason: z.string(),
  receivedAt: z.number(),
  createdAt: z.number(),
});
export const listParkedTracesInput = z.strictObject(pageInput);
export const parkedTracesReply = z.object({ parkedTraces: z.array(parkedTrace), pagination });
export const replayedTracesReply = z.object({ replayed: z.int() });
