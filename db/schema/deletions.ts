import { desc, sql } from "drizzle-orm";
import { check, customType, index, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { actor, createdAt, projectId, unixMs } from "./columns";
import { DELETION_SCOPES, DELETION_STATUSES } from "./enumerations";
import { owningProjectId } from "./projects";

const bytea = customType<{ data: Buffer }>({ dataType: () => "bytea" });

/**
 * Receipt of a deletion: how much of what, who requested it, when; nothing of the content. No foreign key: a project's
 * receipt outlives the project.
 */
export const deletionReceipts = pgTable(
  "deletion_receipts",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    scope: text("scope", { enum: DELETION_SCOPES }).notNull(),
    status: text("status", { enum: DELETION_STATUSES }).notNull(),
    /** What is still to be deleted: an end user's id or a time. Cleared on completion. */
    subject: text("subject"),
    /** Conversations expected to be deleted at the time of the request, where they were counted. */
    expected: integer("expected"),
    /** Deleted rows by table. */
    counts: jsonb("counts").$type<Record<string, number>>().notNull().default({}),
    /** Rows that the check after the deletion still found, by table. Null if no check was made. */
    remaining: jsonb("remaining").$type<Record<string, number>>(),
    ...actor(),
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

/** Traces that a person deleted, as hashes of their ids: if a client sends their spans again, they are rejected. */
export const deletedTraces = pgTable(
  "deleted_traces",
  {
    projectId: owningProjectId(),
    /** The first 16 bytes of SHA-256 over project and trace id. */
    digest: bytea("digest").notNull(),
    deletedAt: unixMs("deleted_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.digest] })],
);

/** Examples deleted with their conversation or user, by our random ids: a file that still names one is rejected and deleted. */
export const deletedExamples = pgTable(
  "deleted_examples",
  {
    projectId: owningProjectId(),
    exampleId: text("example_id").notNull(),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.exampleId] })],
);
