import { desc } from "drizzle-orm";
import { bigint, boolean, index, pgTable, text } from "drizzle-orm/pg-core";
import { createdAt, unixMs } from "../columns";
import { BACKUP_KINDS } from "../enumerations";

/**
 * Backups made of this installation, and the restore it came from. The location is not stored: people who read this in a
 * project need not have access to the machine.
 */
export const backups = pgTable(
  "backups",
  {
    id: text("id").primaryKey(),
    kind: text("kind", { enum: BACKUP_KINDS }).notNull(),
    /** The point in time that the backup captures. */
    takenAt: unixMs("taken_at").notNull(),
    bytes: bigint("bytes", { mode: "number" }).notNull(),
    rows: bigint("rows", { mode: "number" }).notNull(),
    /** SHA-256 of its manifest, which holds the digest of every file. */
    checksum: text("checksum").notNull(),
    /** When the whole backup was read back and verified. */
    verifiedAt: unixMs("verified_at"),
    withSecret: boolean("with_secret").notNull(),
    createdAt: createdAt(),
  },
  (t) => [index("backups_newest").on(desc(t.createdAt), desc(t.id))],
);
