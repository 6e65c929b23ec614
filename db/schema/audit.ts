import { sql } from "drizzle-orm";
import { index, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { createdAt, projectId } from "./columns";
import { AUDIT_ACTOR_KINDS, AUDIT_DOORS } from "./enumerations";
import { projects } from "./projects";

/** What was done, by whom, from where. Nothing here is ever changed: a trigger refuses it. */
const told = () => ({
  /** The name of the verb, or of what stands for one at another door. */
  action: text("action").notNull(),
  actorKind: text("actor_kind", { enum: AUDIT_ACTOR_KINDS }).notNull(),
  /** The person, the key, or the name of the job. No foreign key: what happened outlives who did it. */
  actorId: text("actor_id"),
  sessionId: text("session_id"),
  targetType: text("target_type"),
  targetId: text("target_id"),
  /** What the change touched, as it was and as it became; never a secret. */
  before: jsonb("before").$type<Record<string, unknown>>(),
  after: jsonb("after").$type<Record<string, unknown>>(),
  door: text("door", { enum: AUDIT_DOORS }),
  requestId: text("request_id"),
  address: text("address"),
  createdAt: createdAt(),
});

/** A project's own record; it falls with the project and with nothing else. */
export const auditLog = pgTable(
  "audit_log",
  {
    projectId: projectId().references(() => projects.id, { onDelete: "cascade" }),
    id: text("id").notNull(),
    ...told(),
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

/** What concerns a person and no single project: passwords, sessions. Also what outlives a deleted project. */
export const accountAuditLog = pgTable(
  "account_audit_log",
  {
    id: text("id").primaryKey(),
    /** Whose account it concerns. */
    userId: text("user_id"),
    ...told(),
  },
  (t) => [index("account_audit_log_user").on(t.userId, t.createdAt, t.id)],
);
