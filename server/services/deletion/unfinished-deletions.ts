import { and, inArray, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { deletionReceipts } from "@/db/schema";

/**
 * Returns the deletions that a background function has yet to end, oldest first. That of a project is nobody's any more;
 * what retention deletes is told anew every day.
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
