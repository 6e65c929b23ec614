import { z } from "zod";
import { BACKUP_KINDS } from "@/db/schema/enumerations";
import { pageInput, pagination } from "@/server/platform/schemas";

/** Of the whole installation. `restore`: this installation came out of that backup. Times are Unix ms. */
const backup = z.object({
  id: z.string(),
  kind: z.enum(BACKUP_KINDS),
  /** The moment that it shows. */
  takenAt: z.number(),
  bytes: z.int(),
  rows: z.int(),
  /** SHA-256 of its manifest, which has that of each file. */
  checksum: z.string(),
  /** When all of it was read again and found whole; `null`: never. */
  verifiedAt: z.number().nullable(),
  /** Whether WHETSTONE_SECRET is in it, sealed. */
  withSecret: z.boolean(),
  createdAt: z.number(),
});
export type Backup = z.infer<typeof backup>;
export const listBackupsInput = z.strictObject(pageInput);
export const backupsReply = z.object({ backups: z.array(backup), pagination });
