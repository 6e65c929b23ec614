import type { Db } from "@/db/client";
import { backups } from "@/db/schema";
import { newestFirst } from "@/server/platform/cursor";
import { newId } from "@/server/platform/ids";
import { verb } from "@/server/platform/verb";
import { type Backup, backupsReply, listBackupsInput } from "./schemas";

export const listBackups = verb(
  {
    name: "backups.list",
    summary: "List when the installation was backed up, or restored, by command line, newest first.",
    description:
      "Of the whole installation, this project with it. Backups that were made with other tools are not known here. Where they lie is the operator's to know.",
    effect: "read",
    capability: "project:admin",
    input: listBackupsInput,
    reply: backupsReply,
  },
  async (ctx, { limit, cursor }) => {
    const list = newestFirst({ name: "backups", filters: {}, time: backups.createdAt, id: backups.id, limit, cursor });
    const found = await ctx.db
      .select()
      .from(backups)
      .where(list.after)
      .orderBy(...list.order)
      .limit(list.fetch);
    const { rows, nextCursor } = list.page(found, (row) => [row.createdAt, row.id]);
    return { backups: rows, pagination: { limit, nextCursor } };
  },
);

/** What the command line has just done, for the page that shows it. */
export async function recordBackup(db: Db, done: Omit<Backup, "id" | "createdAt">): Promise<void> {
  await db.insert(backups).values({ id: newId("bak"), ...done });
}
