import { type SQL, sql } from "drizzle-orm";
import { inOrder } from "@/db/in-order";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { deletedAmong, sharedSourcesLock } from "../ingest/tombstones";
import { type ContentBatch, contentWrites, type StoredId, storedChunks, uuidArray } from "./content-batch";

/** What was taken out of a batch's rows, and the traces that the rows belong to. */
export type WithContent = { count: number; traceIds: readonly string[]; content: ContentBatch };
/** `refused` counts items of deleted traces. They count as rejected and are never stored again. */
export type Counts = { stored: number; refused: number };
const NONE: Counts = { stored: 0, refused: 0 };

/** Prepares a batch again, leaving the items of these traces undivided. */
export type PrepareAgain<Batch> = (whole: readonly string[]) => Batch;

/**
 * Stores a batch with the statement that `insert` returns. What was taken out of its rows is stored first, in the same
 * transaction. No content of items of deleted traces is stored: `prepareAgain` returns the batch with these items undivided,
 * and the statement refuses them.
 */
export async function storeWithContent<Batch extends WithContent>(
  ctx: Ctx,
  batch: Batch,
  prepareAgain: PrepareAgain<Batch>,
  insert: (batch: Batch) => SQL,
): Promise<Counts> {
  if (batch.content.chunks.size === 0) {
    const [counts] = await ctx.db.execute<Counts>(insert(batch));
    return counts ?? NONE;
  }

  return inTransaction(ctx, async ({ db, projectId }) => {
    const [, deleted = [], stored = []] = await inOrder<StoredId>(db, [
      // Content stored from here on cannot be deleted meanwhile; see `deleteUnusedContent`.
      sql`select ${sharedSourcesLock(projectId)}`,
      deletedAmong(projectId, batch.traceIds),
      storedChunks(projectId, batch.content),
    ]);
    // With fewer items divided there are fewer chunks, and none that are not among those of the batch.
    const allowed = deleted.length === 0 ? batch : prepareAgain(deleted.map(({ id }) => id));
    const { statements, newChunks } = await contentWrites(db, projectId, allowed.content, stored);
    const results = await inOrder<Counts>(db, [...statements, insert(allowed)]);
    const counts = results.at(-1)?.[0] ?? NONE;
    // Some items already existed with other content, or were refused at the last moment.
    if (counts.stored < allowed.count)
      await db.execute(sql`
        insert into content_released (project_id, chunk_id)
        select ${projectId}::text, id from unnest(${uuidArray(newChunks)}) as t(id)`);
    return counts;
  });
}
