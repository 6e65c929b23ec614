import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { deletedAmong, sharedSourcesLock } from "../ingest/tombstones";
import { type Content, storeContent, uuidArray } from "./content-batch";

/** What was taken out of a batch's rows, and the traces that the rows belong to. */
export type WithContent = { count: number; traceIds: readonly string[]; content: Content };
type Counts = { stored: number; refused: number };

/** Prepares a batch again, leaving the items of these traces undivided. */
export type PrepareAgain<Batch> = (whole: readonly string[]) => Promise<Batch>;

/**
 * Stores a batch with `insert`, which is one statement. What was taken out of its rows is stored first, in the same
 * transaction. No content of items of deleted traces is stored: `prepareAgain` returns the batch with these items undivided,
 * and the statement refuses them.
 */
export async function storeWithContent<Batch extends WithContent>(
  ctx: Ctx,
  batch: Batch,
  prepareAgain: PrepareAgain<Batch>,
  insert: (db: Db, batch: Batch) => Promise<Counts>,
): Promise<Counts> {
  if (batch.content.chunks.size === 0) return insert(ctx.db, batch);

  return inTransaction(ctx, async ({ db, projectId }) => {
    // Content stored from here on cannot be deleted meanwhile; see `deleteUnusedContent`.
    await db.execute(sql`select ${sharedSourcesLock(projectId)}`);
    const deleted = await deletedAmong(db, projectId, batch.traceIds);
    const allowed = deleted.length === 0 ? batch : await prepareAgain(deleted);
    const { newChunks } = await storeContent(db, projectId, allowed.content);
    const counts = await insert(db, allowed);
    // Some items already existed with other content, or were refused at the last moment.
    if (counts.stored < allowed.count)
      await db.execute(sql`
        insert into content_released (project_id, chunk_id)
        select ${projectId}::text, id from unnest(${uuidArray(newChunks)}) as t(id)`);
    return counts;
  });
}
