import { desc, sql } from "drizzle-orm";
import {
  bigserial,
  check,
  customType,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { NOW } from "../now";
import { createdAt, unixMs } from "./columns";
import { JOB_RUN_STATES, JOB_STEP_STATES } from "./enumerations";

/**
 * Any JSON value, preserved exactly. `json` and not `jsonb`: a step's error message may quote a NUL or a lone surrogate,
 * which `jsonb` rejects, and the run could never finish. A custom type because Drizzle's parses a stored string a second
 * time: a step that returned "123" would get 123 back.
 */
const json = customType<{ data: unknown; driverData: unknown }>({
  dataType: () => "json",
  toDriver: (value) => JSON.stringify(value ?? null),
  fromDriver: (value) => value,
});

/**
 * The outbox: an event is inserted in the transaction of the change that caused it. Whichever engine runs the functions
 * consumes it from here; `id` makes a second delivery a no-op.
 */
export const jobEvents = pgTable(
  "job_events",
  {
    id: text("id").primaryKey(),
    seq: bigserial("seq", { mode: "number" }).notNull(),
    projectId: text("project_id"),
    name: text("name").notNull(),
    data: json("data").notNull(),
    /** The event's own time. If in the future, no run is due before then. */
    occurredAt: unixMs("occurred_at").notNull().default(NOW),
    createdAt: createdAt(),
    /** When the engine consumed it; null while pending. */
    dispatchedAt: unixMs("dispatched_at"),
    /** Not sent again before then to a server that rejected it. */
    retryAt: unixMs("retry_at").notNull().default(0),
  },
  (t) => [
    index("job_events_waiting").on(t.seq).where(sql`dispatched_at is null`),
    index("job_events_dispatched").on(t.dispatchedAt).where(sql`dispatched_at is not null`),
  ],
);

/** Runs of the embedded engine. Not per project: turns are claimed across all projects. */
export const jobRuns = pgTable(
  "job_runs",
  {
    id: text("id").primaryKey(),
    projectId: text("project_id"),
    functionId: text("function_id").notNull(),
    eventId: text("event_id").notNull(),
    event: json("event").$type<JobEvent>().notNull(),
    state: text("state", { enum: JOB_RUN_STATES }).notNull(),
    /** Failed calls of the function itself since its last progress, from 0. */
    attempt: integer("attempt").notNull().default(0),
    maxAttempts: integer("max_attempts").notNull(),
    /** Failed and retried calls and steps since the run was queued or replayed. */
    retries: integer("retries").notNull().default(0),
    /** Turns since the last progress whose process died: bounds a run that crashes its process. */
    crashes: integer("crashes").notNull().default(0),
    /** Seconds by which the run is moved ahead of (below zero: behind) others of the same age. */
    priority: integer("priority").notNull().default(0),
    /** When the function itself is next called; null while all its branches wait for a step. */
    callAt: unixMs("call_at"),
    /** The earliest of `call_at` and the open steps' due times: when the next turn may be claimed; null for never. */
    dueAt: unixMs("due_at"),
    /** `due_at` shifted by the priority: the order within a lane. */
    queueAt: unixMs("queue_at"),
    /** Runs of the same project, function and concurrency keys share one queue. */
    lane: text("lane").notNull(),
    concurrencyKeys: json("concurrency_keys").$type<ConcurrencyKey[]>().notNull().default([]),
    idempotencyKey: text("idempotency_key"),
    leaseUntil: unixMs("lease_until"),
    leaseToken: text("lease_token"),
    output: json("output"),
    error: json("error").$type<JobError>(),
    createdAt: createdAt(),
    startedAt: unixMs("started_at"),
    finishedAt: unixMs("finished_at"),
  },
  (t) => [
    uniqueIndex("job_runs_once").on(t.eventId, t.functionId),
    index("job_runs_lane").on(t.lane, t.queueAt).where(sql`due_at is not null`),
    index("job_runs_due").on(t.dueAt).where(sql`due_at is not null`),
    index("job_runs_leased").on(t.leaseUntil).where(sql`lease_token is not null`),
    index("job_runs_open").on(t.functionId).where(sql`finished_at is null`),
    index("job_runs_finished").on(t.finishedAt).where(sql`finished_at is not null`),
    index("job_runs_idempotency").on(t.functionId, t.idempotencyKey).where(sql`idempotency_key is not null`),
    index("job_runs_newest").on(desc(t.createdAt), desc(t.id)),
    index("job_runs_project").on(t.projectId, desc(t.createdAt), desc(t.id)),
    index("job_runs_project_function").on(t.projectId, t.functionId, desc(t.createdAt), desc(t.id)),
    // For a project's Jobs page: few open rows among very many finished ones.
    index("job_runs_project_open").on(t.projectId, desc(t.createdAt), desc(t.id)).where(sql`finished_at is null`),
    index("job_runs_project_dead")
      .on(t.projectId, desc(t.createdAt), desc(t.id))
      .where(sql`state in ('failed', 'cancelled')`),
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
    /** The name that the function gave the step, shown to people. */
    name: text("name"),
    op: text("op").notNull(),
    /**
     * Open: `planned` (parallel; has its own turn at `due_at`), `sleeping`, `waiting`. `retrying` failed inside a call of the
     * function that will be repeated. `completed` and `failed` are returned to the function.
     */
    state: text("state", { enum: JOB_STEP_STATES }).notNull(),
    /** The order in which steps finished, from 1; the SDK replays them in it. */
    position: integer("position"),
    attempts: integer("attempts").notNull().default(0),
    /** When an open step is next due: its next attempt, the end of its sleep, its timeout. */
    dueAt: unixMs("due_at"),
    /** For a waiting step: `event:<name>` or `run:<id>`. */
    waitsFor: text("waits_for"),
    /** For a step waiting for an event: the expression that the event must match. */
    waitIf: text("wait_if"),
    data: json("data"),
    error: json("error").$type<JobError>(),
    /** When the step was first begun. */
    createdAt: createdAt(),
    finishedAt: unixMs("finished_at"),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.id] }),
    index("job_steps_waiting").on(t.waitsFor).where(sql`state = 'waiting'`),
  ],
);

/** When each cron trigger is next due; advanced in the transaction that queues the run. */
export const jobSchedules = pgTable(
  "job_schedules",
  {
    functionId: text("function_id").notNull(),
    cron: text("cron").notNull(),
    nextAt: unixMs("next_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.functionId, t.cron] })],
);

/** A single row: the engine that runs this installation's functions, so that a start notices a change. */
export const jobEngine = pgTable(
  "job_engine",
  {
    id: integer("id").primaryKey().default(1),
    /** `embedded`, or the origin of an Inngest server. */
    engine: text("engine").notNull(),
    /** The previous engine; null for an installation's first. */
    before: text("before"),
    changedAt: unixMs("changed_at").notNull().default(NOW),
  },
  (t) => [check("job_engine_one", sql`${t.id} = 1`)],
);

/** An event as a function receives it. */
export type JobEvent = { id: string; name: string; data: Record<string, unknown>; ts: number };

/** An error as the SDK writes it. */
export type JobError = { name: string; message: string; stack?: string | undefined };

/** At most `limit` turns of runs with this `key` run at once, across all processes. */
export type ConcurrencyKey = { key: string; limit: number };
