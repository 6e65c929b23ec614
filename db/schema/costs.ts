import { desc, sql } from "drizzle-orm";
import {
  bigint,
  bigserial,
  boolean,
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
import { NOW } from "../now";
import { actor, createdAt, projectId, unixMs } from "./columns";
import { ACTOR_KINDS, REPRICING_STATES } from "./enumerations";
import { owningProjectId, withinProject } from "./projects";
import { modelCalls } from "./telemetry";

/** Columns that all daily tables share, whatever they group by. */
const sumsOfCalls = () => ({
  calls: bigint("calls", { mode: "number" }).notNull(),
  /** How many of these calls have no known total. */
  unpricedCalls: bigint("unpriced_calls", { mode: "number" }).notNull(),
  /** US dollars, exact, of the other calls. */
  cost: numeric("cost").notNull(),
  usage: jsonb("usage").$type<Record<string, number>>().notNull(),
});

/** The same of a table that one trigger appends to and one fold compacts. */
const foldedSumsOfCalls = () => ({ ...sumsOfCalls(), folded: boolean("folded").notNull().default(false) });

/**
 * Model-call costs by day and model. The sum over all rows of a key is exact at every commit: a trigger on `model_calls`
 * appends the change that each statement makes and never updates an existing row, so writers do not block each other. A job
 * folds the appended rows into one per key.
 */
export const dailyCosts = pgTable(
  "daily_costs",
  {
    projectId: owningProjectId(),
    id: bigserial("id", { mode: "number" }).notNull(),
    /** Start of the day (UTC) on which the calls were made. */
    day: unixMs("day").notNull(),
    /** As named by the client: the response's model, else the requested one. `''`: none. */
    model: text("model").notNull(),
    /** As named by the client. `''`: none. */
    provider: text("provider").notNull(),
    /** The definition that prices the calls, and its vendor. `''`: none. */
    modelPriceId: text("model_price_id").notNull(),
    vendor: text("vendor").notNull(),
    ...foldedSumsOfCalls(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    index("daily_costs_day").on(t.projectId, t.day),
    index("daily_costs_loose").on(t.id).where(sql`not folded`),
  ],
);

/**
 * Model-call costs by day and label of their conversation, maintained like `daily_costs` by the same trigger. A call counts
 * under each of its labels, so these sums must not be added up.
 */
export const dailyLabelCosts = pgTable(
  "daily_label_costs",
  {
    projectId: owningProjectId(),
    id: bigserial("id", { mode: "number" }).notNull(),
    day: unixMs("day").notNull(),
    /** `''`: calls without a label. */
    label: text("label").notNull(),
    ...foldedSumsOfCalls(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    index("daily_label_costs_day").on(t.projectId, t.day),
    index("daily_label_costs_loose").on(t.id).where(sql`not folded`),
  ],
);

/**
 * Model-call costs by day and end user, recounted from the calls. Rows of a day in `stale_user_days` are outdated: readers sum
 * its calls instead. A day without users has no rows.
 */
export const dailyUserCosts = pgTable(
  "daily_user_costs",
  {
    projectId: owningProjectId(),
    day: unixMs("day").notNull(),
    /** As named by the client. `''`: calls of conversations without a user. */
    userId: text("user_id").notNull(),
    ...sumsOfCalls(),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.day, t.userId] })],
);

/** Days whose calls, or the users of these, changed since `daily_user_costs` was counted. Triggers append, a recount deletes what it saw. */
export const staleUserDays = pgTable(
  "stale_user_days",
  {
    projectId: owningProjectId(),
    day: unixMs("day").notNull(),
    id: bigserial("id", { mode: "number" }).notNull(),
    changedAt: unixMs("changed_at").notNull().default(NOW),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.day, t.id] })],
);

/** A recomputation of stored costs with the prices of one moment; `repriced_calls` holds the previous costs. */
export const repricings = pgTable(
  "repricings",
  {
    projectId: owningProjectId(),
    id: text("id").notNull(),
    state: text("state", { enum: REPRICING_STATES }).notNull(),
    /** Selects the calls made in `[from, to)`, and which of them. */
    from: unixMs("from").notNull(),
    to: unixMs("to").notNull(),
    model: text("model"),
    vendor: text("vendor"),
    modelPriceId: text("model_price_id"),
    onlyUnpriced: boolean("only_unpriced").notNull(),
    /** The price snapshot used, whatever changes meanwhile: the project's prices at this revision, and a catalogue's date. */
    pricingVersion: integer("pricing_version").notNull(),
    catalogue: text("catalogue").notNull(),
    /** The requesting transaction: the scan begins once all older transactions have ended. */
    askedBy: bigint("asked_by", { mode: "number" }).notNull(),
    /** The last call examined. */
    cursor: jsonb("cursor").$type<readonly [startedAt: number, traceId: string, spanId: string]>(),
    callsExpected: integer("calls_expected").notNull(),
    callsExamined: integer("calls_examined").notNull().default(0),
    callsChanged: integer("calls_changed").notNull().default(0),
    /** Of the examined calls, in US dollars. */
    costBefore: numeric("cost_before").notNull().default("0"),
    costAfter: numeric("cost_after").notNull().default("0"),
    unknownBefore: integer("unknown_before").notNull().default(0),
    unknownAfter: integer("unknown_after").notNull().default(0),
    /** For an undo: calls restored to their previous cost, and those repriced again since. */
    callsRestored: integer("calls_restored").notNull().default(0),
    callsKept: integer("calls_kept").notNull().default(0),
    /** Why it stopped. */
    error: text("error"),
    ...actor(),
    undoneByKind: text("undone_by_kind", { enum: ACTOR_KINDS }),
    undoneById: text("undone_by_id"),
    createdAt: createdAt(),
    startedAt: unixMs("started_at"),
    completedAt: unixMs("completed_at"),
    undoneAt: unixMs("undone_at"),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    index("repricings_newest").on(t.projectId, desc(t.createdAt), desc(t.id)),
    // One per project at a time: two would each record the other's costs as the previous ones.
    uniqueIndex("repricings_under_way").on(t.projectId).where(sql`state in ('queued', 'running', 'undoing')`),
  ],
);

/** A call whose cost a repricing changed, with its previous cost. Deleted with the call, and when the cost is restored. */
export const repricedCalls = pgTable(
  "repriced_calls",
  {
    projectId: projectId(),
    repricingId: text("repricing_id").notNull(),
    traceId: text("trace_id").notNull(),
    spanId: text("span_id").notNull(),
    costTotal: numeric("cost_total"),
    cost: jsonb("cost"),
    /** Identifies the cost that replaced it, which an undo looks for. */
    replacedBy: text("replaced_by").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.repricingId, t.traceId, t.spanId] }),
    withinProject("repriced_calls_repricing", t, t.repricingId, repricings).onDelete("cascade"),
    foreignKey({
      name: "repriced_calls_call",
      columns: [t.projectId, t.traceId, t.spanId],
      foreignColumns: [modelCalls.projectId, modelCalls.traceId, modelCalls.spanId],
    }).onDelete("cascade"),
    index("repriced_calls_call_id").on(t.projectId, t.traceId, t.spanId),
  ],
);
