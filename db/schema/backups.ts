import { desc } from "drizzle-orm";
import { bigint, boolean, index, pgTable, text } from "drizzle-orm/pg-core";
import { createdAt, unixMs } from "./columns";
import { BACKUP_KINDS } from "./enumerations";

/**
 * That the installation was backed up, or is one that was restored. Of the whole installation, and without the place:
 * who reads this in a project has no business on the machine.
 */
export const backups = pgTable(
  "backups",
  {
    id: text("id").primaryKey(),
    kind: text("kind", { enum: BACKUP_KINDS }).notNull(),
    /** The moment that the backup shows. */
    takenAt: unixMs("taken_at").notNull(),
    bytes: bigint("bytes", { mode: "number" }).notNull(),
    rows: bigint("rows", { mode: "number" }).notNull(),
    /** SHA-256 of its manifest, which has that of each file. */
    checksum: text("checksum").notNull(),
    /** When all of it was read again and found whole. */
    verifiedAt: unixMs("verified_at"),
    withSecret: boolean("with_secret").notNull(),
    createdAt: createdAt(),
  },
  (t) => [index("backups_newest").on(desc(t.createdAt), desc(t.id))],
);
