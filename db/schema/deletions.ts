import { desc, sql } from "drizzle-orm";
import { check, customType, index, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { createdAt, projectId, unixMs } from "./columns";
import { ACTOR_KINDS, DELETION_SCOPES, DELETION_STATUSES } from "./enumerations";
import { projects } from "./projects";

const bytea = customType<{ data: Buffer }>({ dataType: () => "bytea" });

/**
 * That something was deleted: how much of what, who asked, when. It says nothing of what was in it. Without a foreign
 * key: the receipt of a project outlives the project.
 */
export const deletionReceipts = pgTable(
  "deletion_receipts",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    scope: text("scope", { enum: DELETION_SCOPES }).notNull(),
    status: text("status", { enum: DELETION_STATUSES }).notNull(),
    /** What is still to be deleted: an end user's id or a time. Null as soon as that is done. */
    subject: text("subject"),
    /** Conversations that were to go when it was asked for, where that was counted. */
    expected: integer("expected"),
    /** Rows deleted, by table. */
    counts: jsonb("counts").$type<Record<string, number>>().notNull().default({}),
    /** Rows that a look after it still found, by table that was looked through. Null where nobody looked. */
    remaining: jsonb("remaining").$type<Record<string, number>>(),
    /** `user`, `apiKey`, `job` or `operator`, and which. */
    actorKind: text("actor_kind", { enum: ACTOR_KINDS }).notNull(),
    actorId: text("actor_id"),
    createdAt: createdAt(),
    completedAt: unixMs("completed_at"),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    index("deletion_receipts_id").on(t.id),
    index("deletion_receipts_newest").on(t.projectId, desc(t.createdAt), desc(t.id)),
    check("deletion_receipts_forget", sql`${t.status} <> 'completed' or ${t.subject} is null`),
  ],
);

/** Traces that a person deleted, by a hash of their id: a client that sends their spans again brings nothing back. */
export const deletedTraces = pgTable(
  "deleted_traces",
  {
    projectId: projectId().references(() => projects.id, { onDelete: "cascade" }),
    /** The first 16 bytes of SHA-256 over project and trace id. */
    digest: bytea("digest").notNull(),
    deletedAt: unixMs("deleted_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.digest] })],
);
