import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { deletedAmong, sharedSourcesLock } from "../ingest/tombstones";
import { type Content, storeContent, uuidArray } from "./content-batch";

/** What is taken out of a batch's rows, and the traces that the rows belong to. */
export type WithContent = { count: number; traceIds: readonly string[]; content: Content };
type Counts = { stored: number; refused: number };

/** Prepares a batch again, with the items of these traces whole. */
export type PrepareAgain<Batch> = (whole: readonly string[]) => Promise<Batch>;

/**
 * Stores a batch with `insert`, which is one statement; what was taken out of its rows is stored before, in the same
 * transaction. Nothing is stored of items of deleted traces: `prepareAgain` returns the batch with these whole, as the statement
 * refuses them.
 */
export async function storeWithContent<Batch extends WithContent>(
  ctx: Ctx,
  batch: Batch,
  prepareAgain: PrepareAgain<Batch>,
  insert: (db: Db, batch: Batch) => Promise<Counts>,
): Promise<Counts> {
  if (batch.content.chunks.size === 0) return insert(ctx.db, batch);

  return inTransaction(ctx, async ({ db, projectId }) => {
    // What is stored from now on is not deleted, see `deleteUnusedContent`.
    await db.execute(sql`select ${sharedSourcesLock(projectId)}`);
    const deleted = await deletedAmong(db, projectId, batch.traceIds);
    const allowed = deleted.length === 0 ? batch : await prepareAgain(deleted);
    const { newChunks } = await storeContent(db, projectId, allowed.content);
    const counts = await insert(db, allowed);
    // Items that were there already, with other content, or were refused at the last moment.
    if (counts.stored < allowed.count)
      await db.execute(sql`
        insert into content_released (project_id, chunk_id)
        select ${projectId}::text, id from unnest(${uuidArray(newChunks)}) as t(id)`);
    return counts;
  });
}
