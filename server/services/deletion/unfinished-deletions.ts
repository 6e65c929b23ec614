import { and, inArray, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { deletionReceipts } from "@/db/schema";

/**
 * Returns the deletions that a background function still has to finish, oldest first. A project's deletion belongs to no
 * project; retention is left out, since it is scheduled again every day.
 */
export const unfinishedDeletions = (db: Db) =>
  db
    .select({
      id: deletionReceipts.id,
      projectId: sql<
        string | null
      >`case when ${deletionReceipts.scope} = 'user' then ${deletionReceipts.projectId} end`,
    })
    .from(deletionReceipts)
    .where(
      and(
        inArray(deletionReceipts.status, ["queued", "running"]),
        inArray(deletionReceipts.scope, ["user", "project"]),
      ),
    )
    .orderBy(deletionReceipts.createdAt, deletionReceipts.id);
