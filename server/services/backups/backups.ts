import type { Db } from "@/db/client";
import { backups } from "@/db/schema";
import { listPage } from "@/server/platform/cursor";
import { newId } from "@/server/platform/ids";
import { verb } from "@/server/platform/verb";
import { type Backup, backupsReply, listBackupsInput } from "./schemas";

export const listBackups = verb(
  {
    name: "backups.list",
    summary: "List the installation's backups and restores made with the command line, newest first.",
    description:
      "A backup covers the whole installation, including this project. Backups made with other tools are not listed. Their location is known to the operator only.",
    effect: "read",
    capability: "project:admin",
    input: listBackupsInput,
    reply: backupsReply,
  },
  async (ctx, { limit, cursor }) => {
    const { rows, nextCursor } = await listPage(
      { name: "backups", table: backups, filters: {}, limit, cursor },
      (after) => ctx.db.select().from(backups).where(after),
    );
    return { backups: rows, pagination: { limit, nextCursor } };
  },
);

/** Records a backup or restore by the command line, to be listed. */
export async function recordBackup(db: Db, done: Omit<Backup, "id" | "createdAt">): Promise<void> {
  await db.insert(backups).values({ id: newId("bak"), ...done });
}
