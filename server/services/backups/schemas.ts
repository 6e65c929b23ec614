import { z } from "zod";
import { BACKUP_KINDS } from "@/db/schema/enumerations";
import { pageInput, pagination } from "@/server/platform/schemas";

/** A backup of the whole installation. `restore`: this installation was restored from it. Times are Unix ms. */
const backup = z.object({
  id: z.string(),
  kind: z.enum(BACKUP_KINDS),
  /** The time of its snapshot. */
  takenAt: z.number(),
  bytes: z.int(),
  rows: z.int(),
  /** SHA-256 of its manifest, which contains the SHA-256 of each file. */
  checksum: z.string(),
  /** When it was last verified by reading all of it; `null`: never. */
  verifiedAt: z.number().nullable(),
  /** Whether it contains WHETSTONE_SECRET, encrypted. */
  withSecret: z.boolean(),
  createdAt: z.number(),
});
export type Backup = z.infer<typeof backup>;
export const listBackupsInput = z.strictObject(pageInput);
export const backupsReply = z.object({ backups: z.array(backup), pagination });
