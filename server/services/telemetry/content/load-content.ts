import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import type { TakenContent } from "@/db/schema/json";
import type { SharedItem } from "../otlp/shared-items";
import { uuidArray } from "./content-batch";
import type { ContentId } from "./content-ids";
import { cacheChunk, cachedChunk, cachedPart, cachePart } from "./part-cache";
import type { Given } from "./put-back";

/** A row as stored, with what was taken out of it, if anything. */
export type WithContent = { content: TakenContent | null; chunk_ids: ContentId[] | null };

/** Total characters of the rows that are filled at a time, which bounds the memory that long histories take. */
const CHARACTERS_AT_ONCE = 16 * 2 ** 20;

/**
 * Yields the rows in groups, with the parts that were taken out of them. Omits rows that were deleted with their parts after
 * they had been read; throws if parts of a row that still exists are missing.
 */
export async function* withContents<Row extends WithContent>(
  db: Db,
  projectId: string,
  rows: readonly Row[],
): AsyncGenerator<{ row: Row; taken: Given[] }[]> {
  for (const group of groupsOf(rows)) {
    const chunks = await chunksByIds(db, projectId, group);
    const parts = await partsByIds(db, projectId, chunks);
    const filled: { row: Row; taken: Given[] }[] = [];
    const missing: ContentId[] = [];
    for (const row of group) {
      const taken = takenOf(row, chunks, parts);
      if (Array.isArray(taken)) filled.push({ row, taken });
      else missing.push(taken.missing);
    }
    if (missing.length > 0) await refuseMissing(db, projectId, missing);
    yield filled;
  }
}

function groupsOf<Row extends WithContent>(rows: readonly Row[]): Row[][] {
  const groups: Row[][] = [];
  let room = 0;
  for (const row of rows) {
    const length = row.content?.length ?? 0;
    if (groups.length === 0 || length > room) {
      groups.push([]);
      room = CHARACTERS_AT_ONCE;
    }
    groups.at(-1)?.push(row);
    room -= length;
  }
  return groups;
}

type Chunks = ReadonlyMap<ContentId, readonly ContentId[]>;
type Parts = ReadonlyMap<ContentId, SharedItem>;

/** Loads chunks, together with the parts of uncached ones: when a history grows, only its last chunk is new. */
async function chunksByIds(db: Db, projectId: string, rows: readonly WithContent[]): Promise<Chunks> {
  const chunks = new Map<ContentId, readonly ContentId[]>();
  const unknown: ContentId[] = [];
  for (const id of new Set(rows.flatMap(({ chunk_ids }) => chunk_ids ?? []))) {
    const partIds = cachedChunk(id);
    if (partIds) chunks.set(id, partIds);
    else unknown.push(id);
  }
  if (unknown.length === 0) return chunks;
  type Loaded = { id: ContentId; part_ids: ContentId[] | null; content: string | null };
  const loaded = await db.execute<Loaded>(sql`
    with chunk as materialized (
      select id, part_ids from content_chunks where project_id = ${projectId} and id = any(${uuidArray(unknown)}))
    select id, part_ids, null as content from chunk
    union all
    select id, null, content from content_parts
    where project_id = ${projectId} and id in (select unnest(part_ids) from chunk)`);
  for (const { id, part_ids, content } of loaded) {
    if (content !== null) cachePart(id, content);
    else if (part_ids) {
      cacheChunk(id, part_ids);
      chunks.set(id, part_ids);
    }
  }
  return chunks;
}

async function partsByIds(db: Db, projectId: string, chunks: Chunks): Promise<Parts> {
  const parts = new Map<ContentId, SharedItem>();
  const unknown: ContentId[] = [];
  for (const id of new Set([...chunks.values()].flat())) {
    const part = cachedPart(id);
    if (part) parts.set(id, part);
    else unknown.push(id);
  }
  if (unknown.length === 0) return parts;
  const found = await db.execute<{ id: ContentId; content: string }>(sql`
    select id, content from content_parts where project_id = ${projectId} and id = any(${uuidArray(unknown)})`);
  for (const { id, content } of found) parts.set(id, cachePart(id, content));
  return parts;
}

/** Returns what was taken out of a row, or a chunk of it that is missing. */
function takenOf(row: WithContent, chunks: Chunks, parts: Parts): Given[] | { missing: ContentId } {
  const taken: Given[] = [];
  let from = 0;
  for (const { chunks: length, ...recipe } of row.content?.values ?? []) {
    const items: SharedItem[] = [];
    for (const chunkId of row.chunk_ids?.slice(from, from + length) ?? []) {
      const partIds = chunks.get(chunkId);
      if (!partIds) return { missing: chunkId };
      for (const partId of partIds) {
        const item = parts.get(partId);
        if (!item) return { missing: chunkId };
        items.push(item);
      }
    }
    from += length;
    taken.push({ recipe, items });
  }
  return taken;
}

async function refuseMissing(db: Db, projectId: string, chunkIds: readonly ContentId[]) {
  const [row] = await db.execute(sql`
    select 1 from spans where project_id = ${projectId} and chunk_ids && ${uuidArray(chunkIds)}
    union all
    select 1 from log_records where project_id = ${projectId} and chunk_ids && ${uuidArray(chunkIds)} limit 1`);
  if (row) throw new Error(`Content of project ${projectId} is missing: chunk ${chunkIds[0]}.`);
}
