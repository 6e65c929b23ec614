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
import { createdAt, projectId, unixMs } from "./columns";
import { ACTOR_KINDS, REPRICING_STATES } from "./enumerations";
import { projects } from "./projects";
import { modelCalls } from "./telemetry";

/** What the rows of both tables of days have, whatever they are told apart by: one trigger and one fold keep them. */
const sumsOfCalls = () => ({
  calls: bigint("calls", { mode: "number" }).notNull(),
  /** Of these: without a known total. */
  unpricedCalls: bigint("unpriced_calls", { mode: "number" }).notNull(),
  /** US dollars, exact, of the others. */
  cost: numeric("cost").notNull(),
  usage: jsonb("usage").$type<Record<string, number>>().notNull(),
  folded: boolean("folded").notNull().default(false),
});

/**
 * What model calls cost, by day and model: the sum of all rows of a key is the count of its calls, exactly, at every
 * commit. A trigger on `model_calls` appends the difference that each statement makes, whoever runs it, and never
 * changes a row that is there: writers do not wait for each other. What has gathered is folded into one row a key.
 */
export const dailyCosts = pgTable(
  "daily_costs",
  {
    projectId: projectId().references(() => projects.id, { onDelete: "cascade" }),
    id: bigserial("id", { mode: "number" }).notNull(),
    /** The first moment of the day (UTC) in which the calls were made. */
    day: unixMs("day").notNull(),
    /** As the client named it: the model that answered, else the one asked for. `''`: none. */
    model: text("model").notNull(),
    /** As the client named it. `''`: none. */
    provider: text("provider").notNull(),
    /** The definition that the calls are priced by, and its vendor. `''`: none. */
    modelPriceId: text("model_price_id").notNull(),
    vendor: text("vendor").notNull(),
    ...sumsOfCalls(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    index("daily_costs_day").on(t.projectId, t.day),
    index("daily_costs_loose").on(t.id).where(sql`not folded`),
  ],
);

/**
 * What model calls cost, by day and label of their conversation; kept as `daily_costs` is, by the same trigger. A call counts
 * under each of its labels, so that these sums are not to be added up.
 */
export const dailyLabelCosts = pgTable(
  "daily_label_costs",
  {
    projectId: projectId().references(() => projects.id, { onDelete: "cascade" }),
    id: bigserial("id", { mode: "number" }).notNull(),
    day: unixMs("day").notNull(),
    /** `''`: of calls without one. */
    label: text("label").notNull(),
    ...sumsOfCalls(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    index("daily_label_costs_day").on(t.projectId, t.day),
    index("daily_label_costs_loose").on(t.id).where(sql`not folded`),
  ],
);

/** That stored costs were computed anew with the prices of one moment; `repriced_calls` has what they were before. */
export const repricings = pgTable(
  "repricings",
  {
    projectId: projectId().references(() => projects.id, { onDelete: "cascade" }),
    id: text("id").notNull(),
    state: text("state", { enum: REPRICING_STATES }).notNull(),
    /** Calls made in `[from, to)`, and which of them. */
    from: unixMs("from").notNull(),
    to: unixMs("to").notNull(),
    model: text("model"),
    vendor: text("vendor"),
    modelPriceId: text("model_price_id"),
    onlyUnpriced: boolean("only_unpriced").notNull(),
    /** The prices that it goes by, whatever changes meanwhile: the project's at this revision, and a catalogue's. */
    pricingVersion: integer("pricing_version").notNull(),
    catalogue: text("catalogue").notNull(),
    /** The transaction that asked: the scan begins when all that are older have ended. */
    askedBy: bigint("asked_by", { mode: "number" }).notNull(),
    /** The last call that was looked at. */
    cursor: jsonb("cursor").$type<readonly [startedAt: number, traceId: string, spanId: string]>(),
    callsExpected: integer("calls_expected").notNull(),
    callsExamined: integer("calls_examined").notNull().default(0),
    callsChanged: integer("calls_changed").notNull().default(0),
    /** Of the examined calls, US dollars. */
    costBefore: numeric("cost_before").notNull().default("0"),
    costAfter: numeric("cost_after").notNull().default("0"),
    unknownBefore: integer("unknown_before").notNull().default(0),
    unknownAfter: integer("unknown_after").notNull().default(0),
    /** Of an undo: calls that have their earlier cost again, and those whose cost was computed anew since. */
    callsRestored: integer("calls_restored").notNull().default(0),
    callsKept: integer("calls_kept").notNull().default(0),
    /** Why it stands still. */
    error: text("error"),
    actorKind: text("actor_kind", { enum: ACTOR_KINDS }).notNull(),
    actorId: text("actor_id"),
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
    // One at a time: two would each take the other's costs for what was there before.
    uniqueIndex("repricings_under_way").on(t.projectId).where(sql`state in ('queued', 'running', 'undoing')`),
  ],
);

/** A call whose cost a repricing changed, with the cost as it was. Goes with the call, and when it is restored. */
export const repricedCalls = pgTable(
  "repriced_calls",
  {
    projectId: projectId(),
    repricingId: text("repricing_id").notNull(),
    traceId: text("trace_id").notNull(),
    spanId: text("span_id").notNull(),
    costTotal: numeric("cost_total"),
    cost: jsonb("cost"),
    /** Of the cost that took its place: what an undo looks for. */
    replacedBy: text("replaced_by").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.repricingId, t.traceId, t.spanId] }),
    foreignKey({
      name: "repriced_calls_repricing",
      columns: [t.projectId, t.repricingId],
      foreignColumns: [repricings.projectId, repricings.id],
    }).onDelete("cascade"),
    foreignKey({
      name: "repriced_calls_call",
      columns: [t.projectId, t.traceId, t.spanId],
      foreignColumns: [modelCalls.projectId, modelCalls.traceId, modelCalls.spanId],
    }).onDelete("cascade"),
    index("repriced_calls_call_id").on(t.projectId, t.traceId, t.spanId),
  ],
);
