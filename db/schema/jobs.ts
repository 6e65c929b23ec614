import { desc, sql } from "drizzle-orm";
import { bigserial, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { createdAt, unixMs } from "./columns";

/**
 * The outbox: an event is a row in the transaction of the change that caused it. Whichever engine runs the functions
 * takes it from here; `id` makes a second delivery a no-op.
 */
export const jobEvents = pgTable(
  "job_events",
  {
    id: text("id").primaryKey(),
    seq: bigserial("seq", { mode: "number" }).notNull(),
    projectId: text("project_id"),
    name: text("name").notNull(),
    data: jsonb("data").notNull(),
    createdAt: createdAt(),
    /** When the engine took it; null while it waits. */
    dispatchedAt: unixMs("dispatched_at"),
  },
  (t) => [index("job_events_waiting").on(t.seq).where(sql`dispatched_at is null`)],
);

/** Runs of the embedded engine. Global: it serves one machine, and a turn is claimed over all projects. */
export const jobRuns = pgTable(
  "job_runs",
  {
    id: text("id").primaryKey(),
    projectId: text("project_id"),
    functionId: text("function_id").notNull(),
    eventId: text("event_id").notNull(),
    event: jsonb("event").notNull(),
    state: text("state", { enum: ["queued", "running", "sleeping", "waiting", "completed", "failed", "cancelled"] }).notNull(),
    /** Of the present turn, from 0. */
    attempt: integer("attempt").notNull().default(0),
    maxAttempts: integer("max_attempts").notNull(),
    /** Smaller goes first. */
    priority: integer("priority").notNull().default(0),
    /** Unix ms from which the next turn may be taken. */
    dueAt: unixMs("due_at").notNull(),
    leaseUntil: unixMs("lease_until"),
    leaseToken: text("lease_token"),
    concurrencyKeys: jsonb("concurrency_keys").$type<{ key: string; limit: number }[]>().notNull().default([]),
    output: jsonb("output"),
    error: jsonb("error"),
    createdAt: createdAt(),
    startedAt: unixMs("started_at"),
    finishedAt: unixMs("finished_at"),
  },
  (t) => [
    uniqueIndex("job_runs_once").on(t.eventId, t.functionId),
    index("job_runs_due").on(t.priority, t.dueAt).where(sql`state in ('queued', 'running', 'sleeping', 'waiting')`),
    index("job_runs_newest").on(desc(t.createdAt), desc(t.id)),
    index("job_runs_project").on(t.projectId, desc(t.createdAt)),
  ],
);

export const jobSteps = pgTable(
  "job_steps",
  {
    runId: text("run_id")
      .notNull()
      .references(() => jobRuns.id, { onDelete: "cascade" }),
    /** SHA-1 of the step's name, as the SDK computes it. */
    id: text("id").notNull(),
    position: integer("position").notNull(),
    name: text("name"),
    op: text("op").notNull(),
    state: text("state", { enum: ["planned", "sleeping", "waiting", "completed", "failed"] }).notNull(),
    attempts: integer("attempts").notNull().default(0),
    data: jsonb("data"),
    error: jsonb("error"),
    createdAt: createdAt(),
    finishedAt: unixMs("finished_at"),
  },
  (t) => [primaryKey({ columns: [t.runId, t.id] })],
);

/** When each cron function is next due: one row a function, moved on in the transaction that queues the run. */
export const jobSchedules = pgTable("job_schedules", {
  functionId: text("function_id").primaryKey(),
  cron: text("cron").notNull(),
  nextAt: unixMs("next_at").notNull(),
});
