import { desc, sql } from "drizzle-orm";
import {
  bigserial,
  check,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
} from "drizzle-orm/pg-core";
import { actor, createdAt, projectId, unixMs } from "./columns";
import { BACKFILL_SCAN_STATUSES } from "./enumerations";
import { owningProjectId, withinProject } from "./projects";

/** One Rule over the conversations of a time window, newest first. Its Runs are the `rule_runs` that carry its id. */
export const backfills = pgTable(
  "backfills",
  {
    projectId: owningProjectId(),
    id: text("id").notNull(),
    ruleId: text("rule_id").notNull(),
    /** The Rule's settings at the time of the request, which every Run uses. */
    configurationRevision: integer("configuration_revision").notNull(),
    /** Selects conversations whose last activity lies in `[startMs, endMs)`. */
    startMs: unixMs("start_ms").notNull(),
    endMs: unixMs("end_ms").notNull(),
    maxConversations: integer("max_conversations").notNull(),
    scanStatus: text("scan_status", { enum: BACKFILL_SCAN_STATUSES }).notNull(),
    /** The last conversation scanned; null before the first and after the last. */
    cursor: jsonb("cursor").$type<readonly [lastActivityAt: number, conversationId: string]>(),
    conversationsExpected: integer("conversations_expected").notNull(),
    conversationsScanned: integer("conversations_scanned").notNull().default(0),
    /** Conversations finished per second, measured recently; null until measured. `rateCount` were finished at `rateAt`. */
    rate: doublePrecision("rate"),
    rateAt: unixMs("rate_at"),
    rateCount: integer("rate_count").notNull().default(0),
    /** Why it failed. */
    error: text("error"),
    ...actor(),
    createdAt: createdAt(),
    startedAt: unixMs("started_at"),
    pausedAt: unixMs("paused_at"),
    cancelledAt: unixMs("cancelled_at"),
    finishedAt: unixMs("finished_at"),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    index("backfills_newest").on(t.projectId, desc(t.createdAt), desc(t.id)),
    index("backfills_rule").on(t.projectId, t.ruleId, desc(t.createdAt), desc(t.id)),
    index("backfills_status").on(t.projectId, t.scanStatus, desc(t.createdAt), desc(t.id)),
    check("backfills_window", sql`${t.startMs} < ${t.endMs} and ${t.maxConversations} > 0`),
    check("backfills_failure_has_an_error", sql`${t.scanStatus} <> 'failed' or ${t.error} is not null`),
  ],
);

/**
 * A backfill's Runs by status: the sum over its rows is exact at every commit. A trigger on `rule_runs` appends what each
 * statement changes and never updates a row, so workers do not block each other; the backfill's job folds the rows.
 */
export const backfillCounts = pgTable(
  "backfill_counts",
  {
    projectId: projectId(),
    id: bigserial("id", { mode: "number" }).notNull(),
    backfillId: text("backfill_id").notNull(),
    queued: integer("queued").notNull(),
    running: integer("running").notNull(),
    completed: integer("completed").notNull(),
    skipped: integer("skipped").notNull(),
    failed: integer("failed").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("backfill_counts_backfill", t, t.backfillId, backfills).onDelete("cascade"),
    index("backfill_counts_backfill_id").on(t.projectId, t.backfillId),
  ],
);
