import { sql } from "drizzle-orm";
import { index, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { createdAt } from "../columns";
import { AUDIT_ACTOR_KINDS, AUDIT_DOORS } from "../enumerations";
import { owningProjectId } from "../projects";

/** What was done, by whom and from where. Append-only: a trigger rejects changes. */
const entryColumns = () => ({
  /** The verb's name, or the name of an operation that is not a verb. */
  action: text("action").notNull(),
  actorKind: text("actor_kind", { enum: AUDIT_ACTOR_KINDS }).notNull(),
  /** The person, the key, or the job's name. No foreign key: entries outlive their actor. */
  actorId: text("actor_id"),
  sessionId: text("session_id"),
  targetType: text("target_type"),
  targetId: text("target_id"),
  /** The changed fields, before and after; never a secret. */
  before: jsonb("before").$type<Record<string, unknown>>(),
  after: jsonb("after").$type<Record<string, unknown>>(),
  door: text("door", { enum: AUDIT_DOORS }),
  requestId: text("request_id"),
  address: text("address"),
  createdAt: createdAt(),
});

/** A project's audit log; deleted with the project and in no other way. */
export const auditLog = pgTable(
  "audit_log",
  {
    projectId: owningProjectId(),
    id: text("id").notNull(),
    ...entryColumns(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    index("audit_log_newest").on(t.projectId, t.createdAt, t.id),
    index("audit_log_actor").on(t.projectId, t.actorId, t.createdAt, t.id),
    index("audit_log_action").on(t.projectId, t.action, t.createdAt, t.id),
    index("audit_log_subject").on(t.projectId, sql`split_part(action, '.', 1)`, t.createdAt, t.id),
    index("audit_log_target").on(t.projectId, t.targetId, t.createdAt, t.id),
  ],
);

/** Entries about a person rather than one project (passwords, sessions), and those that outlive a deleted project. */
export const accountAuditLog = pgTable(
  "account_audit_log",
  {
    id: text("id").primaryKey(),
    /** The account concerned. */
    userId: text("user_id"),
    ...entryColumns(),
  },
  (t) => [index("account_audit_log_user").on(t.userId, t.createdAt, t.id)],
);
