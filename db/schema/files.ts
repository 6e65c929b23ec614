import { desc, sql } from "drizzle-orm";
import { bigint, boolean, check, index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { NOW } from "../now";
import { createdAt, unixMs } from "./columns";
import { FILE_KINDS, FILE_STATES } from "./enumerations";
import { owningProjectId } from "./projects";

/**
 * Every file of a project, from its upload's first byte until its last is deleted from the store. The row is written before
 * the bytes and deleted after them, so that whatever a crash leaves behind can be found by its row.
 */
export const files = pgTable(
  "files",
  {
    projectId: owningProjectId(),
    id: text("id").notNull(),
    kind: text("kind", { enum: FILE_KINDS }).notNull(),
    state: text("state", { enum: FILE_STATES }).notNull(),
    name: text("name").notNull(),
    mediaType: text("media_type").notNull(),
    /** As declared when the upload began, if it was; actual values from `storing` on. */
    bytes: bigint("bytes", { mode: "number" }),
    sha256: text("sha256"),
    /** The object's name in the store. Files of one project with the same content may share an object. */
    object: text("object"),
    /** Whether an interrupted upload can be resumed. */
    resumable: boolean("resumable").notNull(),
    /** The current writer, and when its lease ends unless renewed. */
    writer: text("writer"),
    writerUntil: unixMs("writer_until"),
    createdAt: createdAt(),
    updatedAt: unixMs("updated_at").notNull().default(NOW),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    index("files_newest").on(t.projectId, desc(t.createdAt), desc(t.id)),
    index("files_content").on(t.projectId, t.sha256),
    index("files_unfinished").on(t.projectId, t.updatedAt).where(sql`state <> 'stored'`),
    check(
      "files_stored_whole",
      sql`${t.state} in ('uploading', 'deleting') or (${t.bytes} is not null and ${t.sha256} is not null and ${t.object} is not null)`,
    ),
  ],
);
