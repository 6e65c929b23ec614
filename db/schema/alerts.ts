import { desc, sql } from "drizzle-orm";
import {
  bigint,
  bigserial,
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
import { createdAt, projectId, unixMs } from "./columns";
import { connections } from "./connections";
import { findings } from "./diagnostics";
import { ALERT_CONDITIONS, ALERT_MEASURES, ALERT_STATES } from "./enumerations";
import { owningProjectId, withinProject } from "./projects";

/**
 * Model calls by minute, model and labels, maintained like `daily_costs`: a trigger appends what each statement changes, and a
 * job folds. Only the weeks that an alert compares with are stored.
 */
export const minuteCalls = pgTable(
  "minute_calls",
  {
    projectId: owningProjectId(),
    id: bigserial("id", { mode: "number" }).notNull(),
    /** Start of the minute in which the calls were made. */
    minute: unixMs("minute").notNull(),
    /** As named by the client: the response's model, else the requested one. `''`: none. */
    model: text("model").notNull(),
    /** All labels of the calls' conversations, so that a call counts once. */
    labels: text("labels").array().notNull(),
    calls: bigint("calls", { mode: "number" }).notNull(),
    errors: bigint("errors", { mode: "number" }).notNull(),
    unpricedCalls: bigint("unpriced_calls", { mode: "number" }).notNull(),
    /** US dollars, exact, of the calls with a known total. */
    cost: numeric("cost").notNull(),
    /** Number of calls by bucket of their duration: bucket b ends at 1.1^b ms. */
    durations: jsonb("durations").$type<Record<string, number>>().notNull(),
    folded: boolean("folded").notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    index("minute_calls_minute").on(t.projectId, t.minute),
    index("minute_calls_loose").on(t.id).where(sql`not folded`),
  ],
);

/** A measure of a project that is evaluated every minute, its limit, and where it stands. */
export const alerts = pgTable(
  "alerts",
  {
    projectId: owningProjectId(),
    id: text("id").notNull(),
    name: text("name").notNull(),
    enabled: boolean("enabled").notNull(),
    measure: text("measure", { enum: ALERT_MEASURES }).notNull(),
    /** Only calls of this model, and of conversations with this label; null: all. */
    model: text("model"),
    label: text("label"),
    /** The Finding whose share is measured; the one that it was merged into since, if it was. */
    findingId: text("finding_id"),
    condition: text("condition", { enum: ALERT_CONDITIONS }).notNull(),
    /** In the unit of the measure; for a change, the increase as a fraction. */
    limit: doublePrecision("limit").notNull(),
    windowMinutes: integer("window_minutes").notNull(),
    minCount: integer("min_count").notNull(),
    /** Whether every member gets an e-mail. */
    mailMembers: boolean("mail_members").notNull(),
    state: text("state", { enum: ALERT_STATES }).notNull().default("no_data"),
    /** Evaluations in a row beyond the limit, or, while it fires, inside of it. */
    streak: integer("streak").notNull().default(0),
    /** The last evaluation; null before the first. A value or limit that is not known is null. */
    evaluatedAt: unixMs("evaluated_at"),
    value: doublePrecision("value"),
    count: integer("count"),
    limitValue: doublePrecision("limit_value"),
    /** The UTC day for which a change was calibrated, and what its increase is multiplied by; null if the past says too little. */
    calibratedDay: unixMs("calibrated_day"),
    factor: doublePrecision("factor"),
    createdAt: createdAt(),
    updatedAt: unixMs("updated_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    index("alerts_newest").on(t.projectId, desc(t.createdAt), desc(t.id)),
    check("alerts_limit", sql`${t.limit} > 0`),
    check("alerts_window", sql`${t.windowMinutes} between 5 and 1440`),
    check("alerts_min_count", sql`${t.minCount} >= 0`),
    withinProject("alerts_finding", t, t.findingId, findings).onDelete("cascade"),
    index("alerts_finding_id").on(t.projectId, t.findingId),
    check("alerts_share_is_of_a_finding", sql`(${t.measure} = 'finding_share') = (${t.findingId} is not null)`),
    check(
      "alerts_compared_with_a_limit",
      sql`${t.condition} = 'threshold' or ${t.measure} in ('daily_cost', 'error_rate', 'latency_p95')`,
    ),
  ],
);

/** The webhooks that an alert is sent to. */
export const alertChannels = pgTable(
  "alert_channels",
  {
    projectId: projectId(),
    alertId: text("alert_id").notNull(),
    connectionId: text("connection_id").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.alertId, t.connectionId] }),
    withinProject("alert_channels_alert", t, t.alertId, alerts).onDelete("cascade"),
    withinProject("alert_channels_connection", t, t.connectionId, connections).onDelete("cascade"),
    index("alert_channels_connection_id").on(t.projectId, t.connectionId),
  ],
);

/** A time for which an alert fired, with what was measured when it began and ended. */
export const alertFirings = pgTable(
  "alert_firings",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    alertId: text("alert_id").notNull(),
    firedAt: unixMs("fired_at").notNull(),
    value: doublePrecision("value").notNull(),
    limitValue: doublePrecision("limit_value").notNull(),
    /** Null for silence, which counts nothing. */
    count: integer("count"),
    /** Null while it fires. */
    clearedAt: unixMs("cleared_at"),
    /** Null if it ended because the alert was changed or turned off. */
    clearedValue: doublePrecision("cleared_value"),
    clearedLimit: doublePrecision("cleared_limit"),
    clearedCount: integer("cleared_count"),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("alert_firings_alert", t, t.alertId, alerts).onDelete("cascade"),
    index("alert_firings_newest").on(t.projectId, t.alertId, desc(t.firedAt), desc(t.id)),
    uniqueIndex("alert_firings_open").on(t.projectId, t.alertId).where(sql`cleared_at is null`),
    check("alert_firings_cleared", sql`${t.clearedAt} is not null or ${t.clearedValue} is null`),
  ],
);
