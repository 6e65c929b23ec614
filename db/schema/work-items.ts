import { desc, sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { actor, createdAt, projectId, unixMs } from "./columns";
import { connections } from "./connections";
import { findings } from "./diagnostics";
import {
  CODE_REFERENCE_KINDS,
  CODE_REFERENCE_STATES,
  LINKED_STATES,
  SEVERITIES,
  TICKET_CHANGE_KINDS,
  TICKET_CHANGE_REASONS,
  TICKET_CHANGE_STATES,
  TRACKER_DELIVERY_STATES,
  TRACKER_KINDS,
  WORK_ITEM_STATES,
} from "./enumerations";
import { owningProjectId, withinProject } from "./projects";

const listed = (values: readonly string[]) => sql.raw(values.map((value) => `'${value}'`).join(", "));

/** A Finding's tickets in an issue tracker: at most one is linked at a time; the others were replaced or abandoned. */
export const workItems = pgTable(
  "work_items",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    findingId: text("finding_id").notNull(),
    provider: text("provider", { enum: TRACKER_KINDS }).notNull(),
    /** Without a foreign key: a ticket outlives the connection through which it was made. */
    connectionId: text("connection_id").notNull(),
    /** As the tracker writes it. */
    destination: text("destination").notNull(),
    state: text("state", { enum: WORK_ITEM_STATES }).notNull(),
    /** The ticket's id in the tracker's API, its name for people, and its address; null until it exists. */
    externalId: text("external_id"),
    externalKey: text("external_key"),
    url: text("url"),
    /** The tracker's name for its state. */
    externalState: text("external_state"),
    /** Time of the last change that we saw, by the tracker's clock: an older view of the ticket changes nothing. */
    externalUpdatedAt: unixMs("external_updated_at"),
    /** Why the last call failed, for people; null if it did not. */
    error: text("error"),
    replacedById: text("replaced_by_id"),
    /** The handoff rule that created it; null if a person requested it. Without a foreign key: rules can be deleted. */
    handoffRuleId: text("handoff_rule_id"),
    ...actor(),
    /** Consecutive failed calls. */
    attempts: integer("attempts").notNull().default(0),
    /** Since when the tracker may have a ticket that we do not know of; null when it certainly has none. */
    uncertainSince: unixMs("uncertain_since"),
    /** Until this time another process may be calling the tracker for it. */
    leasedUntil: unixMs("leased_until"),
    /** When its background job next has something to do; null when nothing is pending. */
    dueAt: unixMs("due_at"),
    /** Since when a read of the ticket has been requested; null if it has not. */
    readRequestedAt: unixMs("read_requested_at"),
    createdAt: createdAt(),
    updatedAt: unixMs("updated_at").notNull(),
    /** When the ticket was last read. */
    lastSyncedAt: unixMs("last_synced_at"),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("work_items_finding", t, t.findingId, findings).onDelete("cascade"),
    uniqueIndex("work_items_linked")
      .on(t.projectId, t.findingId)
      .where(sql`state in (${listed(LINKED_STATES)})`),
    index("work_items_finding_id").on(t.projectId, t.findingId, desc(t.createdAt), desc(t.id)),
    index("work_items_newest").on(t.projectId, desc(t.createdAt), desc(t.id)),
    index("work_items_by_rule").on(t.projectId, t.handoffRuleId, t.createdAt).where(sql`handoff_rule_id is not null`),
    index("work_items_due").on(t.projectId, t.dueAt).where(sql`due_at is not null`),
    index("work_items_ticket").on(t.projectId, t.connectionId, t.externalId),
    index("work_items_stale").on(t.projectId, t.connectionId, t.lastSyncedAt).where(sql`state in ('open', 'closed')`),
    check(
      "work_items_ticket_whole",
      sql`num_nulls(${t.externalId}, ${t.externalKey}, ${t.url}, ${t.externalState}, ${t.externalUpdatedAt}) in (0, 5)`,
    ),
    check("work_items_ticket_exists", sql`${t.state} not in ('open', 'closed') or ${t.externalId} is not null`),
    check("work_items_failure_has_an_error", sql`${t.state} <> 'failed' or ${t.error} is not null`),
    check("work_items_replacement", sql`(${t.state} = 'replaced') = (${t.replacedById} is not null)`),
  ],
);

/** A work item's log: what we did or will do to its ticket, in order, and what we saw happen to it. */
export const ticketChanges = pgTable(
  "ticket_changes",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    workItemId: text("work_item_id").notNull(),
    kind: text("kind", { enum: TICKET_CHANGE_KINDS }).notNull(),
    state: text("state", { enum: TICKET_CHANGE_STATES }).notNull(),
    /** The event that the change reports; null for what was seen in the tracker. */
    reason: text("reason", { enum: TICKET_CHANGE_REASONS }),
    /** The tracker's name for the state that was seen. */
    externalState: text("external_state"),
    error: text("error"),
    createdAt: createdAt(),
    doneAt: unixMs("done_at"),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("ticket_changes_work_item", t, t.workItemId, workItems).onDelete("cascade"),
    index("ticket_changes_newest").on(t.projectId, t.workItemId, desc(t.createdAt), desc(t.id)),
    index("ticket_changes_queued").on(t.projectId, t.workItemId, t.createdAt, t.id).where(sql`state = 'queued'`),
    check("ticket_changes_done_at", sql`(${t.state} = 'queued') = (${t.doneAt} is null)`),
    check("ticket_changes_failure_has_an_error", sql`${t.state} <> 'failed' or ${t.error} is not null`),
  ],
);

/** Commits and pull requests that mention a ticket, as reported by its tracker. */
export const codeReferences = pgTable(
  "code_references",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    workItemId: text("work_item_id").notNull(),
    kind: text("kind", { enum: CODE_REFERENCE_KINDS }).notNull(),
    url: text("url").notNull(),
    title: text("title").notNull(),
    state: text("state", { enum: CODE_REFERENCE_STATES }),
    at: unixMs("at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("code_references_work_item", t, t.workItemId, workItems).onDelete("cascade"),
    uniqueIndex("code_references_once").on(t.projectId, t.workItemId, t.url),
  ],
);

/** How far a tracker's changes have been read, for each destination with tickets. */
export const trackerCursors = pgTable(
  "tracker_cursors",
  {
    projectId: projectId(),
    /** The connection and the destination, joined. */
    id: text("id").notNull(),
    connectionId: text("connection_id").notNull(),
    destination: text("destination").notNull(),
    /** By the tracker's clock. */
    changedSince: unixMs("changed_since").notNull(),
    polledAt: unixMs("polled_at"),
    /** The next poll is not before this time: the tracker's rate limit, or a backoff after a failure. */
    dueAt: unixMs("due_at"),
    failures: integer("failures").notNull().default(0),
    error: text("error"),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("tracker_cursors_connection", t, t.connectionId, connections).onDelete("cascade"),
    index("tracker_cursors_connection_id").on(t.projectId, t.connectionId),
  ],
);

/** A delivery of a tracker's webhook: which ticket changed, without the change itself. */
export const trackerDeliveries = pgTable(
  "tracker_deliveries",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    connectionId: text("connection_id").notNull(),
    /** The tracker's own delivery id, by which repeated deliveries are recognized. */
    deliveryId: text("delivery_id").notNull(),
    event: text("event").notNull(),
    externalId: text("external_id"),
    destination: text("destination"),
    /** The work item whose ticket it is about. Without a foreign key, because it is history. */
    workItemId: text("work_item_id"),
    state: text("state", { enum: TRACKER_DELIVERY_STATES }).notNull(),
    error: text("error"),
    receivedAt: unixMs("received_at").notNull(),
    processedAt: unixMs("processed_at"),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("tracker_deliveries_connection", t, t.connectionId, connections).onDelete("cascade"),
    uniqueIndex("tracker_deliveries_once").on(t.projectId, t.connectionId, t.deliveryId),
    index("tracker_deliveries_newest").on(t.projectId, desc(t.receivedAt), desc(t.id)),
    index("tracker_deliveries_by_connection").on(t.projectId, t.connectionId, desc(t.receivedAt), desc(t.id)),
    check("tracker_deliveries_failure_has_an_error", sql`${t.state} <> 'failed' or ${t.error} is not null`),
  ],
);

/** Which new Findings are handed to a tracker automatically, and how many per day. */
export const handoffRules = pgTable(
  "handoff_rules",
  {
    projectId: owningProjectId(),
    id: text("id").notNull(),
    name: text("name").notNull(),
    connectionId: text("connection_id").notNull(),
    /** Null: the connection's default. */
    destination: text("destination"),
    enabled: boolean("enabled").notNull(),
    minSeverity: text("min_severity", { enum: SEVERITIES }).notNull(),
    /** Empty: the Findings of every Rule. */
    ruleIds: text("rule_ids").array().notNull(),
    minConversations: integer("min_conversations").notNull(),
    confirmedOnly: boolean("confirmed_only").notNull(),
    /** Tickets per day (UTC). */
    dailyLimit: integer("daily_limit").notNull(),
    createdAt: createdAt(),
    updatedAt: unixMs("updated_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("handoff_rules_connection", t, t.connectionId, connections).onDelete("cascade"),
    index("handoff_rules_newest").on(t.projectId, desc(t.createdAt), desc(t.id)),
    index("handoff_rules_connection_id").on(t.projectId, t.connectionId),
    check("handoff_rules_conversations", sql`${t.minConversations} >= 1`),
    check("handoff_rules_daily_limit", sql`${t.dailyLimit} between 1 and 1000`),
  ],
);
