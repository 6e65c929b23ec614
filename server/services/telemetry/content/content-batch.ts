import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { contentChunks, contentParts } from "@/db/schema";
import type { TakenContent } from "@/db/schema/json";
import { insertRows } from "@/db/sets";
import { type ContentId, chunkId, chunksOf, partId } from "./content-ids";
import { lengthOf, type Taken } from "./take-content";

/** The columns of a row that say what was taken out of it. */
export type ContentColumns = { content: TakenContent | null; chunk_ids: ContentId[] | null };
export const STORED_WHOLE: ContentColumns = { content: null, chunk_ids: null };

/** Parts and chunks of a batch's rows, each once. */
export class ContentBatch {
  private readonly parts = new Map<ContentId, string>();
  private readonly chunks = new Map<ContentId, readonly ContentId[]>();

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

  /**
   * Stores what is new. Returns the ids of the new chunks, and the characters of the new parts. The caller holds the shared lock
   * (`sharedSourcesLock`), so that nothing that is known is deleted before the rows that need it are stored.
   */
  async store(tx: Db): Promise<{ newChunks: ContentId[]; characters: number }> {
    const chunkIds = await this.unknown(tx, "content_chunks", [...this.chunks.keys()]);
    const partIds = new Set(chunkIds.flatMap((id) => this.chunks.get(id) ?? []));
    const newParts = await this.unknown(tx, "content_parts", [...partIds]);
    const same = { project_id: this.projectId };
    // Sorted, and parts before chunks, so that two batches cannot deadlock.
    await insertRows(tx, contentParts, {
      same,
      rows: newParts.map((id) => ({ id, content: this.parts.get(id) ?? "" })),
      onConflict: "nothing",
    });
    await insertRows(tx, contentChunks, {
      same,
      rows: chunkIds.map((id) => ({ id, part_ids: this.chunks.get(id) ?? [] })),
      onConflict: "nothing",
    });
    const characters = newParts.reduce((sum, id) => sum + (this.parts.get(id)?.length ?? 0), 0);
    return { newChunks: chunkIds, characters };
  }

  private async unknown(tx: Db, table: "content_chunks" | "content_parts", ids: readonly ContentId[]) {
    if (ids.length === 0) return [];
    const rows = await tx.execute<{ id: ContentId }>(sql`
      select id from ${sql.identifier(table)} where project_id = ${this.projectId} and id = any(${uuidArray(ids)})`);
    const known = new Set([...rows].map((row) => row.id));
    return ids.filter((id) => !known.has(id)).sort();
  }
}

export const uuidArray = (ids: readonly ContentId[]) => sql`${sql.param([...ids])}::uuid[]`;
