import { desc, sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  doublePrecision,
  foreignKey,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { createdAt, projectId, unixMs } from "./columns";
import { RESOLUTION_STATUSES, REVIEW_STATUSES, RULE_RUN_ORIGINS, RULE_RUN_STATUSES, SEVERITIES } from "./enumerations";
import type { Evidence } from "./json";
import { projects } from "./projects";
import { conversations } from "./telemetry";

/** A project without a row has the defaults. */
export const diagnosticSettings = pgTable("diagnostic_settings", {
  projectId: text("project_id")
    .primaryKey()
    .references(() => projects.id, { onDelete: "cascade" }),
  automaticSchedulingEnabled: boolean("automatic_scheduling_enabled").notNull(),
  updatedAt: unixMs("updated_at").notNull(),
});

/**
 * A project's changes to a built-in Rule: one complete row per revision, of which the newest applies. Revision 1 has no row:
 * it is the Rule as shipped, enabled with its defaults. The audit log records who made the others.
 */
export const ruleSettings = pgTable(
  "rule_settings",
  {
    projectId: projectId().references(() => projects.id, { onDelete: "cascade" }),
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

export const ruleRuns = pgTable(
  "rule_runs",
  {
    projectId: projectId().references(() => projects.id, { onDelete: "cascade" }),
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
    foreignKey({
      name: "rule_runs_conversation",
      columns: [t.projectId, t.conversationId],
      foreignColumns: [conversations.projectId, conversations.id],
    }).onDelete("cascade"),
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
    index("rule_runs_status").on(t.projectId, t.status, desc(t.createdAt), desc(t.id)),
    check("rule_runs_skip_has_a_reason", sql`(${t.status} = 'skipped') = (${t.skipReason} is not null)`),
    check("rule_runs_failure_has_a_message", sql`${t.status} <> 'failed' or ${t.errorMessage} is not null`),
  ],
);

/** One cause of trouble, with every occurrence of it. */
export const findings = pgTable(
  "findings",
  {
    projectId: projectId().references(() => projects.id, { onDelete: "cascade" }),
    id: text("id").notNull(),
    ruleId: text("rule_id").notNull(),
    signal: text("signal").notNull(),
    /** SHA-256 over Rule, Signal and normalized cause. */
    fingerprint: text("fingerprint").notNull(),
    cause: text("cause").notNull(),
    title: text("title").notNull(),
    summary: text("summary").notNull(),
    severity: text("severity", { enum: SEVERITIES }).notNull(),
    /** 0..1, the product of the factors in `diagnosticScoreParts`. */
    diagnosticScore: doublePrecision("diagnostic_score").notNull(),
    diagnosticScoreParts: jsonb("diagnostic_score_parts")
      .$type<{ severity: number; confidence: number; spread: number }>()
      .notNull(),
    reviewStatus: text("review_status", { enum: REVIEW_STATUSES }).notNull(),
    /** Null until somebody or a tracker sets it. */
    resolutionStatus: text("resolution_status", { enum: RESOLUTION_STATUSES }),
    resolvedAt: unixMs("resolved_at"),
    regressedAt: unixMs("regressed_at"),
    occurrenceCount: integer("occurrence_count").notNull().default(0),
    userCount: integer("user_count").notNull().default(0),
    /** Cost of the affected conversations in US dollars; null when none has a known cost. */
    affectedCost: numeric("affected_cost"),
    /** Their model calls without a known cost, which `affected_cost` leaves out. */
    unpricedCallCount: bigint("unpriced_call_count", { mode: "number" }).notNull().default(0),
    /** Times of conversation activity, not of the diagnosis. */
    firstDetectedAt: unixMs("first_detected_at").notNull(),
    lastDetectedAt: unixMs("last_detected_at").notNull(),
    /** When the non-additive figures are due for a recount; null when they cover all occurrences. */
    recountDueAt: unixMs("recount_due_at"),
    createdAt: createdAt(),
    updatedAt: unixMs("updated_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    uniqueIndex("findings_fingerprint").on(t.projectId, t.fingerprint),
    index("findings_newest").on(t.projectId, desc(t.lastDetectedAt), desc(t.id)),
    index("findings_by_review").on(t.projectId, t.reviewStatus, desc(t.lastDetectedAt), desc(t.id)),
    index("findings_by_resolution").on(t.projectId, t.resolutionStatus, desc(t.lastDetectedAt), desc(t.id)),
    index("findings_by_severity").on(t.projectId, t.severity, desc(t.lastDetectedAt), desc(t.id)),
    index("findings_by_signal").on(t.projectId, t.ruleId, t.signal),
    index("findings_recount").on(t.projectId, t.recountDueAt).where(sql`recount_due_at is not null`),
    check("findings_score", sql`${t.diagnosticScore} between 0 and 1`),
    check(
      "findings_resolved_at",
      sql`(${t.resolutionStatus} is not distinct from 'resolved') = (${t.resolvedAt} is not null)`,
    ),
  ],
);

/** A Finding's occurrence in a conversation: at most one for each pair; later evidence updates it. */
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
    /** Unix ms of the conversation's activity at the time when the evidence was read. */
    detectedAt: unixMs("detected_at").notNull(),
    createdAt: createdAt(),
    updatedAt: unixMs("updated_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    foreignKey({
      name: "occurrences_finding",
      columns: [t.projectId, t.findingId],
      foreignColumns: [findings.projectId, findings.id],
    }).onDelete("cascade"),
    foreignKey({
      name: "occurrences_conversation",
      columns: [t.projectId, t.conversationId],
      foreignColumns: [conversations.projectId, conversations.id],
    }).onDelete("cascade"),
    uniqueIndex("occurrences_once").on(t.projectId, t.findingId, t.conversationId),
    index("occurrences_newest").on(t.projectId, t.findingId, desc(t.detectedAt), desc(t.id)),
    index("occurrences_conversation_id").on(t.projectId, t.conversationId),
  ],
);
