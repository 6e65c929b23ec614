import { desc, sql } from "drizzle-orm";
import { bigint, boolean, check, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { alertFirings } from "./alerts";
import { createdAt, projectId, unixMs } from "./columns";
import { connections } from "./connections";
import { findings } from "./diagnostics";
import { ALERT_EVENTS, DELIVERY_STATES, NOTICE_KINDS, SEVERITIES } from "./enumerations";
import { owningProjectId, withinProject } from "./projects";

/** Which Findings a project announces, and to which webhook. */
export const notificationRules = pgTable(
  "notification_rules",
  {
    projectId: owningProjectId(),
    id: text("id").notNull(),
    name: text("name").notNull(),
    connectionId: text("connection_id").notNull(),
    enabled: boolean("enabled").notNull(),
    kinds: text("kinds", { enum: NOTICE_KINDS }).array().notNull(),
    minSeverity: text("min_severity", { enum: SEVERITIES }).notNull(),
    /** Empty: the Findings of every Rule. */
    ruleIds: text("rule_ids").array().notNull(),
    minConversations: integer("min_conversations").notNull(),
    createdAt: createdAt(),
    updatedAt: unixMs("updated_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("notification_rules_connection", t, t.connectionId, connections).onDelete("cascade"),
    index("notification_rules_newest").on(t.projectId, desc(t.createdAt), desc(t.id)),
    index("notification_rules_connection_id").on(t.projectId, t.connectionId),
    check("notification_rules_conversations", sql`${t.minConversations} >= 1`),
  ],
);

/**
 * One message to a webhook, about an alert, about one notice or, as a digest, several. Its text is composed from the Findings or
 * the alert when it is sent.
 */
export const deliveries = pgTable(
  "deliveries",
  {
    projectId: owningProjectId(),
    id: text("id").notNull(),
    connectionId: text("connection_id").notNull(),
    /** Its number among those of its connection, from 1: receivers may get them in another order. */
    sequence: bigint("sequence", { mode: "number" }).notNull(),
    /** 0 for a message about an alert. */
    noticeCount: integer("notice_count").notNull(),
    alertFiringId: text("alert_firing_id"),
    alertEvent: text("alert_event", { enum: ALERT_EVENTS }),
    state: text("state", { enum: DELIVERY_STATES }).notNull(),
    attempts: integer("attempts").notNull().default(0),
    /** In our own words; contains nothing of the receiver's reply. */
    error: text("error"),
    createdAt: createdAt(),
    lastAttemptAt: unixMs("last_attempt_at"),
    deliveredAt: unixMs("delivered_at"),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("deliveries_connection", t, t.connectionId, connections).onDelete("cascade"),
    withinProject("deliveries_alert_firing", t, t.alertFiringId, alertFirings).onDelete("cascade"),
    index("deliveries_newest").on(t.projectId, desc(t.createdAt), desc(t.id)),
    uniqueIndex("deliveries_sequence").on(t.projectId, t.connectionId, t.sequence),
    index("deliveries_connection_id").on(t.projectId, t.connectionId, desc(t.createdAt)),
    uniqueIndex("deliveries_alert_once").on(t.projectId, t.alertFiringId, t.alertEvent, t.connectionId),
    check("deliveries_of_an_alert", sql`(${t.alertFiringId} is null) = (${t.alertEvent} is null)`),
    check("deliveries_delivered_at", sql`(${t.state} = 'delivered') = (${t.deliveredAt} is not null)`),
    check("deliveries_failure_has_an_error", sql`${t.state} <> 'failed' or ${t.error} is not null`),
  ],
);

/** An event of a Finding that a connection is notified of, at most once. */
export const notices = pgTable(
  "notices",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    connectionId: text("connection_id").notNull(),
    findingId: text("finding_id").notNull(),
    findingEventId: text("finding_event_id").notNull(),
    kind: text("kind", { enum: NOTICE_KINDS }).notNull(),
    /** Null while it waits for a digest. */
    deliveryId: text("delivery_id"),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("notices_connection", t, t.connectionId, connections).onDelete("cascade"),
    withinProject("notices_finding", t, t.findingId, findings).onDelete("cascade"),
    withinProject("notices_delivery", t, t.deliveryId, deliveries).onDelete("cascade"),
    uniqueIndex("notices_once").on(t.projectId, t.connectionId, t.findingEventId),
    index("notices_finding_id").on(t.projectId, t.findingId),
    index("notices_delivery_id").on(t.projectId, t.deliveryId),
    index("notices_waiting").on(t.projectId, t.connectionId, t.createdAt).where(sql`delivery_id is null`),
  ],
);
