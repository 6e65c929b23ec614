import { desc, sql } from "drizzle-orm";
import {
  bigint,
  bigserial,
  boolean,
  check,
  index,
  integer,
  jsonb,
  numeric,
  type PgColumn,
  pgSequence,
  pgTable,
  primaryKey,
  smallint,
  text,
  unique,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { createdAt, projectId, unixMs } from "./columns";
import {
  COMPACTED_TABLES,
  COMPACTION_STATES,
  MODEL_CALL_TYPES,
  REFUSAL_REASONS,
  SPAN_STATUSES,
  TELEMETRY_SIGNALS,
} from "./enumerations";
import type { TakenContent } from "./json";
import { owningProjectId, projects, withinProject } from "./projects";

/** Unix microseconds: OpenTelemetry's nanoseconds do not fit a JavaScript number, microseconds do. */
const unixUs = <Name extends string>(name: Name) => bigint(name, { mode: "number" });

/** Every name of usage that counts tokens: `TOKEN_NAMES` of pricing. A further one needs another index. */
const TOKEN_NAMES = [
  "input_tokens",
  "cache_read_input_tokens",
  "cache_creation_input_tokens",
  "output_tokens",
  "reasoning_output_tokens",
  "input_audio_tokens",
  "input_image_tokens",
  "input_video_tokens",
  "input_text_tokens",
  "tool_use_prompt_token_count",
  "cache_read_input_audio_tokens",
  "cache_read_input_image_tokens",
  "cache_read_input_video_tokens",
  "cache_creation_1h_input_tokens",
  "output_audio_tokens",
  "output_image_tokens",
  "output_video_tokens",
  "output_text_tokens",
  "accepted_prediction_tokens",
  "rejected_prediction_tokens",
];
/** SQL of a conversation's tokens; `null` if its usage is empty. Each name on its own: unpacking the object takes 1.4 times as long. */
export const TOKENS_OF_CONVERSATION = `case when usage <> '{}' then ${TOKEN_NAMES.map((name) => `coalesce((usage ->> '${name}')::numeric, 0)`).join(" + ")} end`;

/** A conversation, rebuilt from its spans whenever more arrive. Times come from the telemetry, not from its arrival. */
export const conversations = pgTable(
  "conversations",
  {
    projectId: owningProjectId(),
    id: text("id").notNull(),
    /** What joins traces: the client's conversation id, or `trace:<trace id>` without one. */
    key: text("key").notNull(),
    externalId: text("external_id"),
    userId: text("user_id"),
    /** The first user message, cut to one line. */
    preview: text("preview"),
    traceIds: text("trace_ids").array().notNull().default(sql`'{}'`),
    models: text("models").array().notNull().default(sql`'{}'`),
    /** Labels that the client sent in any span, and labels that people here added; each distinct and sorted. */
    sentLabels: text("sent_labels").array().notNull().default(sql`'{}'`),
    ownLabels: text("own_labels").array().notNull().default(sql`'{}'`),
    /** The union of both. */
    labels: text("labels").array().notNull().default(sql`'{}'`),
    /** Its providers, versions, tools and managed prompts, prefixed `provider:`, `version:`, `tool:` and `prompt:`. */
    traits: text("traits").array().notNull().default(sql`'{}'`),
    startedAt: unixMs("started_at").notNull(),
    lastActivityAt: unixMs("last_activity_at").notNull(),
    messageCount: integer("message_count").notNull().default(0),
    modelCallCount: integer("model_call_count").notNull().default(0),
    toolCallCount: integer("tool_call_count").notNull().default(0),
    errorCount: integer("error_count").notNull().default(0),
    /** Findings with an occurrence here, dismissed ones excluded. */
    findingCount: integer("finding_count").notNull().default(0),
    /** Model calls without a known cost, which `cost` leaves out. */
    unpricedCallCount: integer("unpriced_call_count").notNull().default(0),
    usage: jsonb("usage").$type<Record<string, number>>().notNull().default({}),
    /** US dollars; null when no call has a known cost. */
    cost: numeric("cost"),
    /** When the newest span arrived; inactivity is measured from it. */
    receivedAt: unixMs("received_at").notNull(),
    /** The version of the readers that last read its spans; 0 before they are read. */
    readerVersion: integer("reader_version").notNull().default(0),
    /** `received_at` at the last automatic diagnosis; null before the first. */
    diagnosedReceivedAt: unixMs("diagnosed_received_at"),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    uniqueIndex("conversations_key").on(t.projectId, t.key),
    index("conversations_newest").on(t.projectId, desc(t.startedAt), desc(t.id)),
    // Includes the arrival, so that a retention preview counts by an index-only scan.
    index("conversations_by_activity").on(t.projectId, t.lastActivityAt, t.id, t.receivedAt),
    index("conversations_by_cost").on(t.projectId, t.cost, t.id),
    index("conversations_by_tokens").on(t.projectId, sql.raw(`(${TOKENS_OF_CONVERSATION})`), t.id),
    index("conversations_by_messages").on(t.projectId, t.messageCount, t.id),
    index("conversations_by_duration").on(t.projectId, sql`(last_activity_at - started_at)`, t.id),
    index("conversations_user").on(t.projectId, t.userId, desc(t.startedAt), desc(t.id)),
    index("conversations_with_findings").on(t.projectId, desc(t.startedAt), desc(t.id)).where(sql`finding_count > 0`),
    index("conversations_with_errors").on(t.projectId, desc(t.startedAt), desc(t.id)).where(sql`error_count > 0`),
    index("conversations_undiagnosed")
      .on(t.projectId, t.receivedAt)
      .where(sql`diagnosed_received_at is distinct from received_at`),
    check("conversations_counts", sql`${t.messageCount} >= 0 and ${t.modelCallCount} >= 0 and ${t.findingCount} >= 0`),
  ],
);

/**
 * What a conversation can be searched by, besides its own columns. A separate table, because it is written only when the text
 * changes, and so that lists of conversations do not have to read past it.
 */
export const conversationSearch = pgTable(
  "conversation_search",
  {
    projectId: projectId(),
    conversationId: text("conversation_id").notNull(),
    /** Copied from the conversation. */
    startedAt: unixMs("started_at").notNull(),
    /** The distinct lower-cased words of its messages, and its models, labels and user prefixed `model:`, `label:` and `user:`, and its traits. */
    terms: text("terms").array().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.conversationId] }),
    withinProject("conversation_search_conversation", t, t.conversationId, conversations).onDelete("cascade"),
    // Keyed by project and day: a list walks back day by day and reads at most one day of a common word. No fastupdate, because
    // the pending list would be scanned for each of those days.
    index("conversation_search_keys")
      .using("gin", sql`search_keys(project_id, started_at, terms)`)
      .with({ fastupdate: "off" }),
  ],
);

/** A trace belongs to at most one conversation at a time; a late span may carry the id that moves it to another. */
export const traces = pgTable(
  "traces",
  {
    projectId: owningProjectId(),
    /** The trace id, 32 hex digits. */
    id: text("id").notNull(),
    conversationId: text("conversation_id"),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("traces_conversation", t, t.conversationId, conversations).onDelete("cascade"),
    index("traces_conversation_id").on(t.projectId, t.conversationId),
  ],
);

/** Resource and scope of spans, stored once for all spans that share them. */
export const spanSources = pgTable(
  "span_sources",
  {
    projectId: owningProjectId(),
    /** SHA-256 of the canonical content, base64url. */
    id: text("id").notNull(),
    resource: jsonb("resource").notNull(),
    scopeName: text("scope_name").notNull(),
    scopeVersion: text("scope_version").notNull(),
    /** Start of the earliest span with it; null while only log records have it. */
    firstSeenAt: unixMs("first_seen_at"),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.id] })],
);

/** Index of the rows that use a chunk. No two projects share a chunk id, so the project need not be part of the key. */
const usersOfChunks = (name: string, chunkIds: PgColumn) =>
  index(name).using("gin", chunkIds).with({ fastupdate: "off" }).where(sql`${chunkIds} is not null`);

/** Numbers the batches of spans and log records in order of arrival. */
export const telemetryBatches = pgSequence("telemetry_batches");

/** Spans as received; only where their content is stored may change. Identity: project, trace, span. */
export const spans = pgTable(
  "spans",
  {
    projectId: projectId(),
    traceId: text("trace_id").notNull(),
    spanId: text("span_id").notNull(),
    parentSpanId: text("parent_span_id"),
    sourceId: text("source_id").notNull(),
    name: text("name").notNull(),
    kind: smallint("kind").notNull(),
    statusCode: smallint("status_code").notNull(),
    statusMessage: text("status_message"),
    startedUs: unixUs("started_us").notNull(),
    endedUs: unixUs("ended_us").notNull(),
    /** Number of the batch that it arrived in and its place there, which order what has equal times; 0 before they were stored. */
    batch: bigint("batch", { mode: "number" }).notNull().default(0),
    place: integer("place").notNull().default(0),
    attributes: jsonb("attributes").notNull(),
    /** Null without events. */
    events: jsonb("events"),
    /** How the values taken out of the row are rebuilt from parts; null if the row is stored whole. */
    content: jsonb("content").$type<TakenContent>(),
    /** The chunks of those parts, in the order of `content`. */
    chunkIds: uuid("chunk_ids").array(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.traceId, t.spanId] }),
    withinProject("spans_trace", t, t.traceId, traces).onDelete("cascade"),
    // A deletion checks whether a source or a chunk still has spans before deleting it too.
    index("spans_source").on(t.projectId, t.sourceId),
    // Finds a span by its id alone, as pasted from a log. A hash takes half the space of a tree, and nothing sorts by the id.
    index("spans_by_span_id").using("hash", t.spanId),
    usersOfChunks("spans_chunks", t.chunkIds),
    check("spans_content", sql`(${t.content} is null) = (${t.chunkIds} is null)`),
  ],
);

/** Log records that carry content of spans. `id` is a content hash, so that a repeated record is a no-op. */
export const logRecords = pgTable(
  "log_records",
  {
    projectId: owningProjectId(),
    id: text("id").notNull(),
    traceId: text("trace_id"),
    spanId: text("span_id"),
    sourceId: text("source_id").notNull(),
    eventName: text("event_name"),
    severity: smallint("severity"),
    timeUs: unixUs("time_us").notNull(),
    /** Number of the batch that it arrived in and its place there, which order what has equal times; 0 before they were stored. */
    batch: bigint("batch", { mode: "number" }).notNull().default(0),
    place: integer("place").notNull().default(0),
    body: jsonb("body"),
    attributes: jsonb("attributes").notNull(),
    /** How the values taken out of the row are rebuilt from parts; null if the row is stored whole. */
    content: jsonb("content").$type<TakenContent>(),
    /** The chunks of those parts, in the order of `content`. */
    chunkIds: uuid("chunk_ids").array(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("log_records_trace", t, t.traceId, traces).onDelete("cascade"),
    index("log_records_trace_id").on(t.projectId, t.traceId),
    index("log_records_source").on(t.projectId, t.sourceId),
    usersOfChunks("log_records_chunks", t.chunkIds),
    check("log_records_content", sql`(${t.content} is null) = (${t.chunkIds} is null)`),
  ],
);

/**
 * Text that spans and log records share: mostly messages, which clients send again with every call. Written with the first
 * span that contains it, deleted when no chunk contains it any more.
 */
export const contentParts = pgTable(
  "content_parts",
  {
    projectId: owningProjectId(),
    /** The first half of a SHA-256 of project and text. */
    id: uuid("id").notNull(),
    content: text("content").notNull(),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.id] })],
);

/** Consecutive parts, stored once for all spans and log records that use them; deleted when none does. */
export const contentChunks = pgTable(
  "content_chunks",
  {
    projectId: owningProjectId(),
    /** The first half of a SHA-256 of project and parts. */
    id: uuid("id").notNull(),
    partIds: uuid("part_ids").array().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    index("content_chunks_parts").using("gin", t.partIds).with({ fastupdate: "off" }),
  ],
);

/** Chunks whose span or log record was deleted, written by a trigger, until a check shows whether another row uses them. */
export const contentReleased = pgTable(
  "content_released",
  {
    projectId: owningProjectId(),
    id: bigserial("id", { mode: "number" }).notNull(),
    chunkId: uuid("chunk_id").notNull(),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.id] })],
);

/**
 * The migration of a project's older spans and log records, which are stored whole, to shared parts. Projects without such
 * rows have no compaction.
 */
export const compactions = pgTable(
  "compactions",
  {
    projectId: projectId()
      .primaryKey()
      .references(() => projects.id, { onDelete: "cascade" }),
    state: text("state", { enum: COMPACTION_STATES }).notNull().default("running"),
    /** The table in progress, and the key of the last row examined. */
    tableName: text("table_name", { enum: COMPACTED_TABLES }).notNull().default("spans"),
    after: text("after").array().notNull().default(sql`'{}'`),
    /** Rows of both tables examined, and those moved. */
    rowsExamined: bigint("rows_examined", { mode: "number" }).notNull().default(0),
    rowsMoved: bigint("rows_moved", { mode: "number" }).notNull().default(0),
    /** Characters no longer stored, because other rows contained them too. */
    charactersSaved: bigint("characters_saved", { mode: "number" }).notNull().default(0),
    createdAt: createdAt(),
    completedAt: unixMs("completed_at"),
  },
  (t) => [check("compactions_completed", sql`(${t.completedAt} is null) = (${t.state} <> 'completed')`)],
);

/** Traces whose conversation is to be rebuilt: written with the spans, consumed by the projector, deleted when it commits. */
export const projectionQueue = pgTable(
  "projection_queue",
  {
    projectId: owningProjectId(),
    id: bigserial("id", { mode: "number" }).notNull(),
    traceId: text("trace_id").notNull(),
    receivedAt: unixMs("received_at").notNull(),
    /** Rebuilds that failed or crashed the process. */
    attempts: integer("attempts").notNull().default(0),
    /** Not retried before then. */
    retryAt: unixMs("retry_at").notNull().default(0),
    /** A process died while rebuilding a batch with this trace: rebuilt on its own until it proves harmless. */
    alone: boolean("alone").notNull().default(false),
    /** Read by an earlier version and worth reading again: rebuilt with its conversation when nothing new is pending. */
    backlog: boolean("backlog").notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    index("projection_queue_order").on(t.id).where(sql`not backlog`),
    index("projection_queue_backlog").on(t.id).where(sql`backlog`),
    index("projection_queue_alone").on(t.projectId, t.traceId).where(sql`alone`),
  ],
);

/** Quarantined traces, whose rebuild kept failing. Kept until a person or a newer version retries them. */
export const parkedTraces = pgTable(
  "parked_traces",
  {
    projectId: projectId(),
    traceId: text("trace_id").notNull(),
    receivedAt: unixMs("received_at").notNull(),
    attempts: integer("attempts").notNull(),
    /** The last error. */
    reason: text("reason").notNull(),
    /** Whether it crashed the process. */
    alone: boolean("alone").notNull(),
    /** The version of the code that gave up. */
    version: text("version").notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.traceId] }),
    withinProject("parked_traces_trace", t, t.traceId, traces).onDelete("cascade"),
    index("parked_traces_newest").on(t.projectId, desc(t.createdAt), desc(t.traceId)),
  ],
);

/** Projector processes with the traces each has in progress, so that a crash can be attributed. */
export const projectors = pgTable("projectors", {
  id: text("id").primaryKey(),
  /** The database backend of the connection that does the work; it ends with the process. */
  backend: text("backend").notNull(),
  /** Pairs of project and trace id; empty between passes. */
  workingOn: jsonb("working_on").$type<[projectId: string, traceId: string][]>().notNull(),
  /** When a pass last completed. */
  progressedAt: unixMs("progressed_at"),
});

export const conversationMessages = pgTable(
  "conversation_messages",
  {
    projectId: projectId(),
    conversationId: text("conversation_id").notNull(),
    /** From 0, without gaps. */
    position: integer("position").notNull(),
    role: text("role").notNull(),
    parts: jsonb("parts").notNull(),
    toolCalls: jsonb("tool_calls").notNull(),
    toolCallId: text("tool_call_id"),
    spanId: text("span_id"),
    /** The inner agent whose call first contained it; null for the conversation's own. */
    agent: text("agent"),
    at: unixMs("at"),
    /** Of everything above: detects a changed row without reading its content. */
    digest: text("digest").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.conversationId, t.position] }),
    withinProject("conversation_messages_conversation", t, t.conversationId, conversations).onDelete("cascade"),
  ],
);

/** Leaf model calls, with the cost computed on arrival: a later price change never rewrites it implicitly. */
export const modelCalls = pgTable(
  "model_calls",
  {
    projectId: projectId(),
    traceId: text("trace_id").notNull(),
    spanId: text("span_id").notNull(),
    conversationId: text("conversation_id").notNull(),
    type: text("type", { enum: MODEL_CALL_TYPES }).notNull(),
    name: text("name").notNull(),
    provider: text("provider"),
    requestedModel: text("requested_model"),
    responseModel: text("response_model"),
    /** The provider's response id, by which duplicate traces of one call are found. */
    responseId: text("response_id"),
    usage: jsonb("usage").$type<Record<string, number>>(),
    rawUsage: jsonb("raw_usage").$type<Record<string, unknown>>(),
    usageRule: text("usage_rule"),
    finishReasons: text("finish_reasons").array().notNull(),
    status: text("status", { enum: SPAN_STATUSES }).notNull(),
    error: jsonb("error"),
    startedAt: unixMs("started_at").notNull(),
    /** Position among the calls of its conversation that start in the same millisecond. */
    place: integer("place").notNull().default(0),
    endedAt: unixMs("ended_at").notNull(),
    /** Of everything above: an unchanged call keeps its row, and with it its cost. */
    digest: text("digest").notNull(),
    /** US dollars, exact; null when unknown. */
    costTotal: numeric("cost_total"),
    /** The full cost with model, tier, source, prices used and breakdown; null when no definition matched. */
    cost: jsonb("cost"),
    /** The cost that the client reported, US dollars; never added to ours. */
    reportedCost: numeric("reported_cost"),
    /** The managed prompt that it was made from, as its spans name it. */
    promptName: text("prompt_name"),
    promptVersion: text("prompt_version"),
    /** Copied from the conversation: costs are grouped by label, and the trigger sees only the call. */
    labels: text("labels").array().notNull().default(sql`'{}'`),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.traceId, t.spanId] }),
    withinProject("model_calls_conversation", t, t.conversationId, conversations).onDelete("cascade"),
    index("model_calls_conversation_id").on(t.projectId, t.conversationId),
    index("model_calls_newest").on(t.projectId, desc(t.startedAt)),
    index("model_calls_prompt").on(t.projectId, t.promptName, desc(t.startedAt)).where(sql`prompt_name is not null`),
    index("model_calls_response").on(t.projectId, t.responseId).where(sql`response_id is not null`),
  ],
);

export const toolCalls = pgTable(
  "tool_calls",
  {
    projectId: projectId(),
    traceId: text("trace_id").notNull(),
    spanId: text("span_id").notNull(),
    /** 0 for the call of a tool's own span; otherwise which of the calls that the messages of this span request, from 1. */
    requestNumber: integer("request_number").notNull().default(0),
    conversationId: text("conversation_id").notNull(),
    callId: text("call_id"),
    name: text("name").notNull(),
    arguments: text("arguments"),
    result: text("result"),
    error: jsonb("error"),
    startedAt: unixMs("started_at").notNull(),
    /** Position among the calls of its conversation that start in the same millisecond. */
    place: integer("place").notNull().default(0),
    endedAt: unixMs("ended_at").notNull(),
    digest: text("digest").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.traceId, t.spanId, t.requestNumber] }),
    withinProject("tool_calls_conversation", t, t.conversationId, conversations).onDelete("cascade"),
    index("tool_calls_conversation_id").on(t.projectId, t.conversationId),
  ],
);

/** Requests with telemetry that were refused, counted per minute. Nothing of a request but its key's id, if that is one of ours. */
export const telemetryRefusals = pgTable(
  "telemetry_refusals",
  {
    /** Null if the request named none of our keys. */
    projectId: text("project_id").references(() => projects.id, { onDelete: "cascade" }),
    keyId: text("key_id"),
    /** A keyed hash of the sender's network, where there is no key. */
    source: text("source"),
    reason: text("reason", { enum: REFUSAL_REASONS }).notNull(),
    /** Its beginning. */
    minute: unixMs("minute").notNull(),
    count: bigint("count", { mode: "number" }).notNull(),
    lastAt: unixMs("last_at").notNull(),
  },
  (t) => [
    unique("telemetry_refusals_row").on(t.projectId, t.minute, t.reason, t.keyId, t.source).nullsNotDistinct(),
    index("telemetry_refusals_by_minute").on(t.minute),
    check("telemetry_refusals_count", sql`${t.count} > 0`),
  ],
);

/** The outcome of each accepted batch. */
export const ingestReceipts = pgTable(
  "ingest_receipts",
  {
    projectId: owningProjectId(),
    id: text("id").notNull(),
    signal: text("signal", { enum: TELEMETRY_SIGNALS }).notNull(),
    received: integer("received").notNull(),
    stored: integer("stored").notNull(),
    rejected: integer("rejected").notNull(),
    rejections: jsonb("rejections")
      .$type<{ index: number | null; spanId: string | null; reason: string }[]>()
      .notNull(),
    traceIds: text("trace_ids").array().notNull(),
    /** Credentials masked or removed; null for batches from before they were counted. */
    masked: integer("masked"),
    /** Texts under an id's name that are no ids; null for batches from before they were listed. */
    ignoredIds: jsonb("ignored_ids").$type<{ attribute: string; value: string; items: number }[]>(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    index("ingest_receipts_newest").on(t.projectId, desc(t.createdAt), desc(t.id)),
    check("ingest_receipts_add_up", sql`${t.stored} + ${t.rejected} <= ${t.received}`),
    check("ingest_receipts_masked", sql`${t.masked} >= 0`),
  ],
);
