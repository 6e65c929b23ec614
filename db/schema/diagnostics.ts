import { desc, sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { actor, createdAt, projectId, unixMs } from "./columns";
import {
  ACTOR_KINDS,
  COLLECTION_MASKINGS,
  DISMISSAL_REASONS,
  FINDING_EVENT_KINDS,
  RESOLUTION_STATUSES,
  REVIEW_STATUSES,
  RULE_RUN_ORIGINS,
  RULE_RUN_STATUSES,
  SEVERITIES,
} from "./enumerations";
import type { Evidence, ModelBaseline, OccurrencePart, Quantiles } from "./json";
import { owningProjectId, projects, withinProject } from "./projects";
import { conversations } from "./telemetry";

/** A project without a row has the defaults. */
export const diagnosticSettings = pgTable("diagnostic_settings", {
  projectId: text("project_id")
    .primaryKey()
    .references(() => projects.id, { onDelete: "cascade" }),
  automaticSchedulingEnabled: boolean("automatic_scheduling_enabled").notNull(),
  /** The model connection that settles ambiguous Signals; null for the only one, if there is exactly one. */
  adjudicatorConnectionId: text("adjudicator_connection_id"),
  /** Days for which the adjudicator's answers are reused and stored. */
  adjudicationCacheDays: integer("adjudication_cache_days").notNull().default(30),
  /** What collection does with personal data and secrets. */
  collectionMasking: text("collection_masking", { enum: COLLECTION_MASKINGS }).notNull().default("mask"),
  updatedAt: unixMs("updated_at").notNull(),
});

/**
 * A project's changes to a Rule's settings: one complete row per revision, of which the newest applies. Revision 1 has no row:
 * it is the Rule enabled with its defaults. The audit log records who made the others.
 */
export const ruleSettings = pgTable(
  "rule_settings",
  {
    projectId: owningProjectId(),
    id: text("id").notNull(),
    revision: integer("revision").notNull(),
    enabled: boolean("enabled").notNull(),
    configuration: jsonb("configuration").notNull(),
    updatedAt: unixMs("updated_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id, t.revision] }),
    check("rule_settings_revision", sql`${t.revision} > 1`),
  ],
);

/** A project's own Rules as people described them: one row per version, of which the newest applies. */
export const ownRules = pgTable(
  "own_rules",
  {
    projectId: owningProjectId(),
    id: text("id").notNull(),
    version: integer("version").notNull(),
    definition: jsonb("definition").notNull(),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.id, t.version] }), check("own_rules_version", sql`${t.version} > 0`)],
);

export const ruleRuns = pgTable(
  "rule_runs",
  {
    projectId: owningProjectId(),
    id: text("id").notNull(),
    ruleId: text("rule_id").notNull(),
    ruleVersion: integer("rule_version").notNull(),
    /** The revision of the Rule's settings that the Run uses. */
    configurationRevision: integer("configuration_revision").notNull().default(1),
    conversationId: text("conversation_id").notNull(),
    /** The snapshot: what had happened by then, in the listed traces or, if none are listed, in all of them. */
    lastActivityAt: unixMs("last_activity_at").notNull(),
    origin: text("origin", { enum: RULE_RUN_ORIGINS }).notNull(),
    backfillId: text("backfill_id"),
    traceIds: text("trace_ids").array().notNull().default(sql`'{}'`),
    /** Hash of the set of listed traces, empty for none: indexed in place of up to ten thousand ids. */
    tracesKey: text("traces_key").notNull().default(""),
    /**
     * Unix ms of the conversation's newest data or feedback when the Run was queued: later data is a question for another
     * Run. Null for a Run that was queued before this was recorded, and for one that was never to be read.
     */
    evidenceAt: unixMs("evidence_at"),
    status: text("status", { enum: RULE_RUN_STATUSES }).notNull(),
    attempts: integer("attempts").notNull().default(0),
    /** Occurrences found; null until completed. */
    resultCount: integer("result_count"),
    /** Unix ms of the newest activity read; null until completed. */
    readUntil: unixMs("read_until"),
    skipReason: text("skip_reason"),
    errorMessage: text("error_message"),
    /** Caveats for readers of the result, such as "no adjudicator is connected". */
    notes: text("notes").array().notNull().default(sql`'{}'`),
    createdAt: createdAt(),
    startedAt: unixMs("started_at"),
    finishedAt: unixMs("finished_at"),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("rule_runs_conversation", t, t.conversationId, conversations).onDelete("cascade"),
    // Deduplicates identical Runs unless the earlier one was skipped or failed. Conversation first, as the most selective.
    uniqueIndex("rule_runs_once")
      .on(
        t.projectId,
        t.conversationId,
        t.ruleId,
        t.ruleVersion,
        t.configurationRevision,
        t.lastActivityAt,
        t.tracesKey,
        t.evidenceAt,
      )
      .where(sql`status not in ('skipped', 'failed')`),
    index("rule_runs_newest").on(t.projectId, desc(t.createdAt), desc(t.id)),
    // Includes the status, so that diagnosed conversations are counted by an index-only scan.
    index("rule_runs_conversation_id").on(t.projectId, t.conversationId, t.status),
    index("rule_runs_rule").on(t.projectId, t.ruleId, desc(t.createdAt), desc(t.id)),
    // Partial: nearly all Runs are automatic, and every other index serves those.
    index("rule_runs_asked_for")
      .on(t.projectId, t.origin, desc(t.createdAt), desc(t.id))
      .where(sql`origin <> 'automatic'`),
    index("rule_runs_backfill")
      .on(t.projectId, t.backfillId, desc(t.createdAt), desc(t.id))
      .where(sql`backfill_id is not null`),
    // Partial: few Runs find something, and they are what people look for.
    index("rule_runs_found").on(t.projectId, desc(t.createdAt), desc(t.id)).where(sql`result_count > 0`),
    index("rule_runs_status").on(t.projectId, t.status, desc(t.createdAt), desc(t.id)),
    check("rule_runs_skip_has_a_reason", sql`(${t.status} = 'skipped') = (${t.skipReason} is not null)`),
    check("rule_runs_failure_has_a_message", sql`${t.status} <> 'failed' or ${t.errorMessage} is not null`),
  ],
);

/** One problem: a group of similar causes, with every occurrence of them. */
export const findings = pgTable(
  "findings",
  {
    projectId: owningProjectId(),
    id: text("id").notNull(),
    ruleId: text("rule_id").notNull(),
    signal: text("signal").notNull(),
    /** Of the earliest occurrence. */
    title: text("title").notNull(),
    summary: text("summary").notNull(),
    /** `pinned_severity` where a person set one, else `detected_severity`. */
    severity: text("severity", { enum: SEVERITIES }).notNull(),
    /** The highest among the occurrences. */
    detectedSeverity: text("detected_severity", { enum: SEVERITIES }).notNull(),
    pinnedSeverity: text("pinned_severity", { enum: SEVERITIES }),
    /** 0..1, the product of the factors in `diagnosticScoreParts`. */
    diagnosticScore: doublePrecision("diagnostic_score").notNull(),
    diagnosticScoreParts: jsonb("diagnostic_score_parts")
      .$type<{ severity: number; confidence: number; spread: number }>()
      .notNull(),
    reviewStatus: text("review_status", { enum: REVIEW_STATUSES }).notNull(),
    /** Null until a person or a tracker sets it. */
    resolutionStatus: text("resolution_status", { enum: RESOLUTION_STATUSES }),
    resolvedAt: unixMs("resolved_at"),
    regressedAt: unixMs("regressed_at"),
    /** Since when its rate is well above its own past; null when it is not. */
    escalatingSince: unixMs("escalating_since"),
    dismissedAt: unixMs("dismissed_at"),
    dismissalReason: text("dismissal_reason", { enum: DISMISSAL_REASONS }),
    /** The share of conversations at a dismissal until it gets worse; null for any other. */
    dismissedRate: doublePrecision("dismissed_rate"),
    /** A member. Without a foreign key: read through the memberships, so that a member who left is not shown. */
    assigneeId: text("assignee_id"),
    /** The Finding that this one was merged into. It is in no list, and undoing the merge restores it. */
    mergedIntoId: text("merged_into_id"),
    /** Split by hand: never merged automatically with another Finding that was split by hand. */
    separated: boolean("separated").notNull().default(false),
    /** Gathers the causes beyond the limit on Findings, so its title is not that of an occurrence. */
    gathersRest: boolean("gathers_rest").notNull().default(false),
    occurrenceCount: integer("occurrence_count").notNull().default(0),
    userCount: integer("user_count").notNull().default(0),
    /** Its conversations among the project's recent ones, as of the last recount. */
    recentAffected: integer("recent_affected").notNull().default(0),
    recentConversations: integer("recent_conversations").notNull().default(0),
    /** Cost of the affected conversations in US dollars; null when none has a known cost. */
    affectedCost: numeric("affected_cost"),
    /** Their model calls without a known cost, which `affected_cost` leaves out. */
    unpricedCallCount: bigint("unpriced_call_count", { mode: "number" }).notNull().default(0),
    /** Times of conversation activity, not of the diagnosis. */
    firstDetectedAt: unixMs("first_detected_at").notNull(),
    lastDetectedAt: unixMs("last_detected_at").notNull(),
    /** When the non-additive figures are due for a recount; null when they cover all occurrences. */
    recountDueAt: unixMs("recount_due_at"),
    /** `backfill` while only backfills have added to it since the last recount. */
    recountOrigin: text("recount_origin", { enum: RULE_RUN_ORIGINS }),
    /** The last conversation whose number of Findings is updated, while that is in progress. */
    conversationsUpdatedTo: text("conversations_updated_to"),
    createdAt: createdAt(),
    updatedAt: unixMs("updated_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("findings_merged_into", t, t.mergedIntoId, t).onDelete("cascade"),
    index("findings_newest").on(t.projectId, desc(t.lastDetectedAt), desc(t.id)),
    index("findings_by_review").on(t.projectId, t.reviewStatus, desc(t.lastDetectedAt), desc(t.id)),
    index("findings_by_resolution").on(t.projectId, t.resolutionStatus, desc(t.lastDetectedAt), desc(t.id)),
    index("findings_by_severity").on(t.projectId, t.severity, desc(t.lastDetectedAt), desc(t.id)),
    index("findings_by_signal").on(t.projectId, t.ruleId, t.signal),
    index("findings_by_score").on(t.projectId, desc(t.diagnosticScore), desc(t.id)),
    index("findings_by_conversations").on(t.projectId, desc(t.occurrenceCount), desc(t.id)),
    index("findings_by_first_seen").on(t.projectId, desc(t.firstDetectedAt), desc(t.id)),
    index("findings_assignee").on(t.projectId, t.assigneeId).where(sql`assignee_id is not null`),
    index("findings_merged").on(t.projectId, t.mergedIntoId).where(sql`merged_into_id is not null`),
    // Reevaluated by a background function, because a Finding calms down without any new occurrence.
    index("findings_escalating").on(t.projectId, t.escalatingSince).where(sql`escalating_since is not null`),
    index("findings_conversations_due").on(t.projectId, t.id).where(sql`conversations_updated_to is not null`),
    index("findings_recount").on(t.projectId, t.recountDueAt).where(sql`recount_due_at is not null`),
    check("findings_score", sql`${t.diagnosticScore} between 0 and 1`),
    check(
      "findings_resolved_at",
      sql`(${t.resolutionStatus} is not distinct from 'resolved') = (${t.resolvedAt} is not null)`,
    ),
  ],
);

/**
 * Every distinct cause that Rules reported, and the Finding that it belongs to. Similar causes of one Rule and Signal share
 * a Finding; people may place them otherwise.
 */
export const findingCauses = pgTable(
  "finding_causes",
  {
    projectId: projectId(),
    /** SHA-256 over Rule, Signal and normalized cause. */
    id: text("id").notNull(),
    findingId: text("finding_id").notNull(),
    ruleId: text("rule_id").notNull(),
    signal: text("signal").notNull(),
    /** Null once every conversation with it is deleted. */
    cause: text("cause"),
    /** What similar causes share at least one of; null until computed. */
    keys: text("keys").array(),
    /** Placed by hand, so it is kept even without occurrences, and later ones follow it. */
    pinned: boolean("pinned").notNull().default(false),
    occurrenceCount: integer("occurrence_count").notNull().default(0),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("finding_causes_finding", t, t.findingId, findings).onDelete("cascade"),
    index("finding_causes_finding_id").on(t.projectId, t.findingId),
    // The keys are hashes that include the project. No fastupdate, because each new cause searches at once.
    index("finding_causes_keys").using("gin", t.keys).with({ fastupdate: "off" }),
    index("finding_causes_without_keys").on(t.projectId, t.id).where(sql`keys is null`),
  ],
);

/** Number of conversations with a Finding by UTC day, so that trends are read without counting occurrences. */
export const findingDays = pgTable(
  "finding_days",
  {
    projectId: projectId(),
    findingId: text("finding_id").notNull(),
    /** Unix ms of its start. */
    day: unixMs("day").notNull(),
    conversations: integer("conversations").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.findingId, t.day] }),
    withinProject("finding_days_finding", t, t.findingId, findings).onDelete("cascade"),
  ],
);

/** What happened to a Finding, written in the transaction of the change. */
export const findingEvents = pgTable(
  "finding_events",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    findingId: text("finding_id").notNull(),
    /** Shared by the events of one action of a person, which is undone as a whole. */
    changeId: text("change_id"),
    kind: text("kind", { enum: FINDING_EVENT_KINDS }).notNull(),
    at: unixMs("at").notNull(),
    ...actor(),
    /** The origin of the Runs that caused it; null for what people did. */
    origin: text("origin", { enum: RULE_RUN_ORIGINS }),
    /** Old and new values, and the ids of other Findings involved. No content of conversations. */
    detail: jsonb("detail").$type<Record<string, unknown>>().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("finding_events_finding", t, t.findingId, findings).onDelete("cascade"),
    index("finding_events_newest").on(t.projectId, t.findingId, desc(t.at), desc(t.id)),
    index("finding_events_announced")
      .on(t.projectId, t.at)
      .where(sql`kind in ('created', 'returned', 'regressed', 'escalating')`),
    index("finding_events_change").on(t.projectId, t.changeId).where(sql`change_id is not null`),
  ],
);

/** What members wrote about a Finding. */
export const findingNotes = pgTable(
  "finding_notes",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    findingId: text("finding_id").notNull(),
    authorKind: text("author_kind", { enum: ACTOR_KINDS }).notNull(),
    authorId: text("author_id"),
    text: text("text").notNull(),
    createdAt: createdAt(),
    /** Null until edited. */
    editedAt: unixMs("edited_at"),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("finding_notes_finding", t, t.findingId, findings).onDelete("cascade"),
    index("finding_notes_newest").on(t.projectId, t.findingId, desc(t.createdAt), desc(t.id)),
  ],
);

/** A Finding's occurrence in a conversation: at most one per pair; later evidence updates it. */
export const occurrences = pgTable(
  "occurrences",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    findingId: text("finding_id").notNull(),
    conversationId: text("conversation_id").notNull(),
    ruleRunId: text("rule_run_id"),
    score: doublePrecision("score").notNull(),
    confidence: doublePrecision("confidence").notNull(),
    severity: text("severity", { enum: SEVERITIES }).notNull(),
    title: text("title").notNull(),
    summary: text("summary").notNull(),
    evidence: jsonb("evidence").$type<Evidence[]>().notNull(),
    causeIds: text("cause_ids").array().notNull(),
    /** What each cause reported, in the order of `cause_ids`; null for a single one that leads. */
    parts: jsonb("parts").$type<OccurrencePart[]>(),
    /** Placed here by hand, apart from other occurrences of its causes; later Runs on the conversation keep it here. */
    placed: boolean("placed").notNull().default(false),
    /** Unix ms of the conversation's last activity when the evidence was read. */
    detectedAt: unixMs("detected_at").notNull(),
    createdAt: createdAt(),
    updatedAt: unixMs("updated_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("occurrences_finding", t, t.findingId, findings).onDelete("cascade"),
    withinProject("occurrences_conversation", t, t.conversationId, conversations).onDelete("cascade"),
    uniqueIndex("occurrences_once").on(t.projectId, t.findingId, t.conversationId),
    index("occurrences_newest").on(t.projectId, t.findingId, desc(t.detectedAt), desc(t.id)),
    index("occurrences_conversation_id").on(t.projectId, t.conversationId),
  ],
);

/**
 * What was usual in a project before a day (UTC): the baseline for conversations that began on that day. Written once and
 * never changed, so that the same Run returns the same result.
 */
export const callBaselines = pgTable(
  "call_baselines",
  {
    projectId: owningProjectId(),
    day: unixMs("day").notNull(),
    models: jsonb("models").$type<ModelBaseline[]>().notNull(),
    /** US dollars of a conversation with a known cost; null when there are too few. */
    conversationCost: jsonb("conversation_cost").$type<Quantiles>(),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.day] })],
);
