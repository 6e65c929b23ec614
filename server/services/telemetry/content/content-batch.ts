import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { contentChunks, contentParts } from "@/db/schema";
import type { TakenContent } from "@/db/schema/json";
import { insertRows } from "@/db/sets";
import { type ContentId, chunkId, chunksOf, partId } from "./content-ids";
import { lengthOf, type Taken } from "./take-content";

/** The columns of a row that record what was taken out of it. */
export type ContentColumns = { content: TakenContent | null; chunk_ids: ContentId[] | null };
export const STORED_WHOLE: ContentColumns = { content: null, chunk_ids: null };

/** Parts and chunks of a batch's rows by id. */
export type Content = {
  parts: Pick<ReadonlyMap<ContentId, string>, "get">;
  chunks: ReadonlyMap<ContentId, readonly ContentId[]>;
};

/** Collects the parts and chunks of a batch's rows, each once. */
export class ContentBatch implements Content {
  readonly parts = new Map<ContentId, string>();
  readonly chunks = new Map<ContentId, readonly ContentId[]>();

  constructor(private readonly projectId: string) {}

  /** Adds what was taken out of a row, and returns the row's columns. */
  add(taken: readonly Taken[]): ContentColumns {
    if (taken.length === 0) return STORED_WHOLE;
    const chunkIds: ContentId[] = [];
    const values = taken.map(({ recipe, parts }) => {
      const chunks = chunksOf(parts.map((part) => this.addPart(part)));
      for (const partIds of chunks) {
        const id = chunkId(this.projectId, partIds);
        this.chunks.set(id, partIds);
        chunkIds.push(id);
      }
      return { ...recipe, chunks: chunks.length };
    });
    return { content: { length: lengthOf(taken), values }, chunk_ids: chunkIds };
  }

  private addPart(text: string): ContentId {
    const id = partId(this.projectId, text);
    this.parts.set(id, text);
    return id;
  }
}

/**
 * Stores the content that is not stored yet. Returns the ids of the new chunks, and the number of characters in the new parts.
 * The caller holds the shared lock (`sharedSourcesLock`), so that no existing content is deleted before the rows that need it
 * are stored.
 */
export async function storeContent(
  tx: Db,
  projectId: string,
  { parts, chunks }: Content,
): Promise<{ newChunks: ContentId[]; characters: number }> {
  const chunkIds = await unknown(tx, projectId, "content_chunks", [...chunks.keys()]);
  const partIds = new Set(chunkIds.flatMap((id) => chunks.get(id) ?? []));
  const newParts = (await unknown(tx, projectId, "content_parts", [...partIds])).map((id) => ({
    id,
    content: parts.get(id) ?? "",
  }));
  const same = { project_id: projectId };
  // Sorted, and parts before chunks, so that two batches cannot deadlock.
  await insertRows(tx, contentParts, { same, rows: newParts, onConflict: "nothing" });
  await insertRows(tx, contentChunks, {
    same,
    rows: chunkIds.map((id) => ({ id, part_ids: chunks.get(id) ?? [] })),
    onConflict: "nothing",
  });
  const characters = newParts.reduce((sum, { content }) => sum + content.length, 0);
  return { newChunks: chunkIds, characters };
}

/** Returns the ids that are not stored, sorted. */
async function unknown(
  tx: Db,
  projectId: string,
  table: "content_chunks" | "content_parts",
  ids: readonly ContentId[],
) {
  if (ids.length === 0) return [];
  const rows = await tx.execute<{ id: ContentId }>(sql`
    select id from ${sql.identifier(table)} where project_id = ${projectId} and id = any(${uuidArray(ids)})`);
  const known = new Set([...rows].map((row) => row.id));
  return ids.filter((id) => !known.has(id)).sort();
}

export const uuidArray = (ids: readonly ContentId[]) => sql`${sql.param([...ids])}::uuid[]`;
