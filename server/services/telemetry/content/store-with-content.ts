import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { deletedAmong, sharedSourcesLock } from "../ingest/tombstones";
import { ContentBatch, type ContentColumns, STORED_WHOLE, uuidArray } from "./content-batch";
import type { Left } from "./take-content";

/** An item of a batch, what is to be stored of it in its own row, and the columns that refer to the rest. */
export type StoredItem<Item> = { item: Item; left: Item; content: ContentColumns };
type Counts = { stored: number; refused: number };

/**
 * Stores a batch with `insert`, which is one statement; what is taken out of its items is stored before, in the same
 * transaction. Nothing is taken out of items of deleted traces, which the statement refuses.
 */
export async function storeWithContent<Item extends { traceId: string | null }>(
  ctx: Ctx,
  items: readonly Item[],
  take: (item: Item) => Left<Item>,
  insert: (db: Db, items: readonly StoredItem<Item>[]) => Promise<Counts>,
): Promise<Counts> {
  const split = items.map((item) => ({ item, ...take(item) }));
  const whole = (item: Item) => ({ item, left: item, content: STORED_WHOLE });
  if (split.every(({ taken }) => taken.length === 0)) return insert(ctx.db, items.map(whole));

  return inTransaction(ctx, async ({ db, projectId }) => {
    // What is stored from now on is not deleted, see `deleteUnusedContent`.
    await db.execute(sql`select ${sharedSourcesLock(projectId)}`);
    const traceIds = new Set(items.flatMap(({ traceId }) => traceId ?? []));
    const refused = new Set(await deletedAmong(db, projectId, [...traceIds]));
    const batch = new ContentBatch(projectId);
    const rows = split.map(({ item, left, taken }) =>
      item.traceId !== null && refused.has(item.traceId) ? whole(item) : { item, left, content: batch.add(taken) },
    );
    const { newChunks } = await batch.store(db);
    const counts = await insert(db, rows);
    // Items that were there already, with other content, or were refused at the last moment.
    if (counts.stored < items.length)
      await db.execute(sql`
        insert into content_released (project_id, chunk_id)
        select ${projectId}::text, id from unnest(${uuidArray(newChunks)}) as t(id)`);
    return counts;
  });
}
