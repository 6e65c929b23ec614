import { sql } from "drizzle-orm";
import type { Ctx } from "@/server/platform/context";
import { lockSources } from "../ingest/tombstones";
import { uuidArray } from "./content-batch";
import type { ContentId } from "./content-ids";

/** Chunks checked at a time. No batch can be stored meanwhile, so they are few enough for senders not to notice. */
export const CHUNKS_AT_A_TIME = 2_000;

/**
 * Deletes the parts that only deleted spans and log records used, of at most `limit` released chunks. Blocks the project's
 * ingest until the transaction ends, so that no batch can rely on what is being deleted. Returns the rows deleted, by table.
 */
export async function deleteUnusedContent(tx: Ctx, limit = Number.POSITIVE_INFINITY) {
  await lockSources(tx.db, tx.projectId);
  const counts = { content_released: 0, content_chunks: 0, content_parts: 0 };
  for (let room = limit; room > 0; room -= CHUNKS_AT_A_TIME) {
    const released = await takeReleased(tx, Math.min(room, CHUNKS_AT_A_TIME));
    if (released.length === 0) break;
    counts.content_released += released.length;
    const chunks = await deleteChunks(tx, [...new Set(released)]);
    counts.content_chunks += chunks.length;
    counts.content_parts += await deleteParts(tx, [...new Set(chunks.flat())]);
  }
  return counts;
}

async function takeReleased({ db, projectId }: Ctx, limit: number): Promise<ContentId[]> {
  const rows = await db.execute<{ chunk_id: ContentId }>(sql`
    delete from content_released where project_id = ${projectId} and id in (
      select id from content_released where project_id = ${projectId} order by id limit ${limit})
    returning chunk_id`);
  return [...rows].map((row) => row.chunk_id);
}

/** Deletes those of these chunks that no row uses, and returns the parts of each. */
async function deleteChunks({ db, projectId }: Ctx, ids: readonly ContentId[]): Promise<ContentId[][]> {
  const rows = await db.execute<{ part_ids: ContentId[] }>(sql`
    delete from content_chunks c where c.project_id = ${projectId} and c.id = any(${uuidArray(ids)})
      and not exists (select 1 from spans u where u.project_id = ${projectId} and u.chunk_ids @> array[c.id])
      and not exists (select 1 from log_records u where u.project_id = ${projectId} and u.chunk_ids @> array[c.id])
    returning part_ids`);
  return [...rows].map((row) => row.part_ids);
}

/** Deletes those of these parts that no chunk uses. */
async function deleteParts({ db, projectId }: Ctx, ids: readonly ContentId[]): Promise<number> {
  const [row] = await db.execute<{ gone: number }>(sql`
    with gone as (
      delete from content_parts p where p.project_id = ${projectId} and p.id = any(${uuidArray(ids)})
        and not exists (select 1 from content_chunks c where c.project_id = ${projectId} and c.part_ids @> array[p.id])
      returning 1)
    select count(*)::int as gone from gone`);
  return row?.gone ?? 0;
}
