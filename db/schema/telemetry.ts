import { desc, sql } from "drizzle-orm";
import {
  bigint,
  bigserial,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { createdAt, projectId, unixMs } from "./columns";
import { MODEL_CALL_TYPES, SPAN_STATUSES, TELEMETRY_SIGNALS } from "./enumerations";
import { projects } from "./projects";

/** Unix microseconds: OpenTelemetry's nanoseconds do not fit a JavaScript number, microseconds do. */
const unixUs = <Name extends string>(name: Name) => bigint(name, { mode: "number" });

/** A conversation, rebuilt from its spans whenever more of them arrive. Times are of the telemetry, not of its arrival. */
export const conversations = pgTable(
  "conversations",
  {
    projectId: projectId().references(() => projects.id, { onDelete: "cascade" }),
    id: text("id").notNull(),
    /** What joins traces: the client's own conversation id, or `trace:<trace id>` where it sent none. */
    key: text("key").notNull(),
    externalId: text("external_id"),
    userId: text("user_id"),
    /** The first thing a user said, cut to a line. */
    preview: text("preview"),
    traceIds: text("trace_ids").array().notNull().default(sql`'{}'`),
    models: text("models").array().notNull().default(sql`'{}'`),
    /** What the client labelled it with in any of its spans, and what somebody here did: distinct, sorted. */
    sentLabels: text("sent_labels").array().notNull().default(sql`'{}'`),
    ownLabels: text("own_labels").array().notNull().default(sql`'{}'`),
    /** Both together. */
    labels: text("labels").array().notNull().default(sql`'{}'`),
    startedAt: unixMs("started_at").notNull(),
    lastActivityAt: unixMs("last_activity_at").notNull(),
    messageCount: integer("message_count").notNull().default(0),
    modelCallCount: integer("model_call_count").notNull().default(0),
    toolCallCount: integer("tool_call_count").notNull().default(0),
    errorCount: integer("error_count").notNull().default(0),
    /** Findings with an occurrence here that nobody dismissed. */
    findingCount: integer("finding_count").notNull().default(0),
    /** Model calls without a known cost: `cost` is of the others. */
    unpricedCallCount: integer("unpriced_call_count").notNull().default(0),
    usage: jsonb("usage").$type<Record<string, number>>().notNull().default({}),
    /** US dollars; null when no call has a known cost. */
    cost: numeric("cost"),
    /** When the newest span arrived: what "quiet for a while" is measured by. */
    receivedAt: unixMs("received_at").notNull(),
    /** `received_at` as of the last automatic diagnosis; null before the first. */
    diagnosedReceivedAt: unixMs("diagnosed_received_at"),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    uniqueIndex("conversations_key").on(t.projectId, t.key),
    index("conversations_newest").on(t.projectId, desc(t.startedAt), desc(t.id)),
    // With the arrival, so that what a retention would delete is counted without reading the rows.
    index("conversations_by_activity").on(t.projectId, t.lastActivityAt, t.receivedAt),
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
 * What a conversation is found by beside its own columns. A table of its own: it is written when the text changes, and a
 * list that reads conversations reads past none of it.
 */
export const conversationSearch = pgTable(
  "conversation_search",
  {
    projectId: projectId(),
    conversationId: text("conversation_id").notNull(),
    /** The conversation's own. */
    startedAt: unixMs("started_at").notNull(),
    /** The distinct words of its messages, lower-cased; with `model:`, `label:` and `user:` before them, its models, labels and user. */
    terms: text("terms").array().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.conversationId] }),
    foreignKey({
      name: "conversation_search_conversation",
      columns: [t.projectId, t.conversationId],
      foreignColumns: [conversations.projectId, conversations.id],
    }).onDelete("cascade"),
    // Each term under its project and day: a list walks back day by day, and reads no more than a day of a common word.
    // A list of pending entries would be read through for each of those days.
    index("conversation_search_keys")
      .using("gin", sql`search_keys(project_id, started_at, terms)`)
      .with({ fastupdate: "off" }),
  ],
);

/** A trace belongs to at most one conversation at a time; a late span may bring the id that moves it to another. */
export const traces = pgTable(
  "traces",
  {
    projectId: projectId().references(() => projects.id, { onDelete: "cascade" }),
    /** The trace id, 32 hex digits. */
    id: text("id").notNull(),
    conversationId: text("conversation_id"),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    foreignKey({
      name: "traces_conversation",
      columns: [t.projectId, t.conversationId],
      foreignColumns: [conversations.projectId, conversations.id],
    }).onDelete("cascade"),
    index("traces_conversation_id").on(t.projectId, t.conversationId),
  ],
);

/** Resource and scope of spans, stored once for the many spans that share them. */
export const spanSources = pgTable(
  "span_sources",
  {
    projectId: projectId().references(() => projects.id, { onDelete: "cascade" }),
    /** SHA-256 of the canonical content, base64url. */
    id: text("id").notNull(),
    resource: jsonb("resource").notNull(),
    scopeName: text("scope_name").notNull(),
    scopeVersion: text("scope_version").notNull(),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.id] })],
);

/** Spans as they came; never changed after the insert. Identity: project, trace, span. */
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
    attributes: jsonb("attributes").notNull(),
    /** Null when the span has none. */
    events: jsonb("events"),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.traceId, t.spanId] }),
    foreignKey({
      name: "spans_trace",
      columns: [t.projectId, t.traceId],
      foreignColumns: [traces.projectId, traces.id],
    }).onDelete("cascade"),
    // Whether a source still has a span: what a deletion asks before it takes the source along.
    index("spans_source").on(t.projectId, t.sourceId),
  ],
);

/** Log records that carry content of spans. `id` is a hash of the content: the same record again is a no-op. */
export const logRecords = pgTable(
  "log_records",
  {
    projectId: projectId().references(() => projects.id, { onDelete: "cascade" }),
    id: text("id").notNull(),
    traceId: text("trace_id"),
    spanId: text("span_id"),
    sourceId: text("source_id").notNull(),
    eventName: text("event_name"),
    severity: smallint("severity"),
    timeUs: unixUs("time_us").notNull(),
    body: jsonb("body"),
    attributes: jsonb("attributes").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    foreignKey({
      name: "log_records_trace",
      columns: [t.projectId, t.traceId],
      foreignColumns: [traces.projectId, traces.id],
    }).onDelete("cascade"),
    index("log_records_trace_id").on(t.projectId, t.traceId),
    index("log_records_source").on(t.projectId, t.sourceId),
  ],
);

/** Traces whose conversation is to be rebuilt: written with the spans, taken by the projector, gone when it commits. */
export const projectionQueue = pgTable(
  "projection_queue",
  {
    projectId: projectId().references(() => projects.id, { onDelete: "cascade" }),
    id: bigserial("id", { mode: "number" }).notNull(),
    traceId: text("trace_id").notNull(),
    receivedAt: unixMs("received_at").notNull(),
    /** Rebuilds that failed, or that the process did not live through. */
    attempts: integer("attempts").notNull().default(0),
    /** Not before then. */
    retryAt: unixMs("retry_at").notNull().default(0),
    /** A process ended while this and others were rebuilt: it is tried in no company until it has shown to be harmless. */
    alone: boolean("alone").notNull().default(false),
    /** An earlier version read it, and reading it again says more: rebuilt while nothing new waits, with its conversation. */
    backlog: boolean("backlog").notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    index("projection_queue_order").on(t.id).where(sql`not backlog`),
    index("projection_queue_backlog").on(t.id).where(sql`backlog`),
    index("projection_queue_alone").on(t.projectId, t.traceId).where(sql`alone`),
  ],
);

/** Traces that could not be rebuilt however often it was tried. Kept until somebody, or a newer version, tries again. */
export const parkedTraces = pgTable(
  "parked_traces",
  {
    projectId: projectId(),
    traceId: text("trace_id").notNull(),
    receivedAt: unixMs("received_at").notNull(),
    attempts: integer("attempts").notNull(),
    /** What went wrong the last time. */
    reason: text("reason").notNull(),
    /** It ended the process that tried. */
    alone: boolean("alone").notNull(),
    /** Of the code that gave up. */
    version: text("version").notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.traceId] }),
    foreignKey({
      name: "parked_traces_trace",
      columns: [t.projectId, t.traceId],
      foreignColumns: [traces.projectId, traces.id],
    }).onDelete("cascade"),
    index("parked_traces_newest").on(t.projectId, desc(t.createdAt), desc(t.traceId)),
  ],
);

/** Processes that rebuild conversations: what each has under way, so that what one died of can be told. */
export const projectors = pgTable("projectors", {
  id: text("id").primaryKey(),
  /** The database's side of the connection on which the work is done: with the process it goes away. */
  backend: text("backend").notNull(),
  /** Pairs of project and trace; none between passes. */
  workingOn: jsonb("working_on").$type<[projectId: string, traceId: string][]>().notNull(),
  /** When a pass was last completed. */
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
    at: unixMs("at"),
    /** Of everything above: what tells a changed row from an unchanged one without reading its content. */
    digest: text("digest").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.conversationId, t.position] }),
    foreignKey({
      name: "conversation_messages_conversation",
      columns: [t.projectId, t.conversationId],
      foreignColumns: [conversations.projectId, conversations.id],
    }).onDelete("cascade"),
  ],
);

/** Leaf model calls with the cost as it was computed then: a later price change never rewrites it by itself. */
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
    /** The provider's id of the answer: by it two traces that tell of one call are found. */
    responseId: text("response_id"),
    usage: jsonb("usage").$type<Record<string, number>>(),
    rawUsage: jsonb("raw_usage").$type<Record<string, unknown>>(),
    usageRule: text("usage_rule"),
    finishReasons: text("finish_reasons").array().notNull(),
    status: text("status", { enum: SPAN_STATUSES }).notNull(),
    error: jsonb("error"),
    startedAt: unixMs("started_at").notNull(),
    endedAt: unixMs("ended_at").notNull(),
    /** Of everything above: an unchanged call keeps its row, and with it its cost. */
    digest: text("digest").notNull(),
    /** US dollars, exact; null when unknown. */
    costTotal: numeric("cost_total"),
    /** The whole cost with model, tier, source, prices used and breakdown; null when no definition matched. */
    cost: jsonb("cost"),
    /** What the client itself claims, US dollars; kept apart and never added to ours. */
    reportedCost: numeric("reported_cost"),
    /** Its conversation's: what a call costs is told by label, and a trigger sees only the call. */
    labels: text("labels").array().notNull().default(sql`'{}'`),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.traceId, t.spanId] }),
    foreignKey({
      name: "model_calls_conversation",
      columns: [t.projectId, t.conversationId],
      foreignColumns: [conversations.projectId, conversations.id],
    }).onDelete("cascade"),
    index("model_calls_conversation_id").on(t.projectId, t.conversationId),
    index("model_calls_newest").on(t.projectId, desc(t.startedAt)),
    index("model_calls_response").on(t.projectId, t.responseId).where(sql`response_id is not null`),
  ],
);

export const toolCalls = pgTable(
  "tool_calls",
  {
    projectId: projectId(),
    traceId: text("trace_id").notNull(),
    spanId: text("span_id").notNull(),
    conversationId: text("conversation_id").notNull(),
    callId: text("call_id"),
    name: text("name").notNull(),
    arguments: text("arguments"),
    result: text("result"),
    error: jsonb("error"),
    startedAt: unixMs("started_at").notNull(),
    endedAt: unixMs("ended_at").notNull(),
    digest: text("digest").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.traceId, t.spanId] }),
    foreignKey({
      name: "tool_calls_conversation",
      columns: [t.projectId, t.conversationId],
      foreignColumns: [conversations.projectId, conversations.id],
    }).onDelete("cascade"),
    index("tool_calls_conversation_id").on(t.projectId, t.conversationId),
  ],
);

/** What became of each accepted batch. */
export const ingestReceipts = pgTable(
  "ingest_receipts",
  {
    projectId: projectId().references(() => projects.id, { onDelete: "cascade" }),
    id: text("id").notNull(),
    signal: text("signal", { enum: TELEMETRY_SIGNALS }).notNull(),
    received: integer("received").notNull(),
    stored: integer("stored").notNull(),
    rejected: integer("rejected").notNull(),
    rejections: jsonb("rejections")
      .$type<{ index: number | null; spanId: string | null; reason: string }[]>()
      .notNull(),
    traceIds: text("trace_ids").array().notNull(),
    /** Credentials that were masked or left out; null of batches that came before they were counted. */
    masked: integer("masked"),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    index("ingest_receipts_newest").on(t.projectId, desc(t.createdAt), desc(t.id)),
    check("ingest_receipts_add_up", sql`${t.stored} + ${t.rejected} <= ${t.received}`),
    check("ingest_receipts_masked", sql`${t.masked} >= 0`),
  ],
);
