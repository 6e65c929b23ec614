import { type SQL, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { contentChunks, contentParts } from "@/db/schema";
import type { TakenContent } from "@/db/schema/json";
import { insertsOf } from "@/db/sets";
import { type ContentId, chunkId, chunksOf, partId } from "./content-ids";
import { lengthOf, type Taken } from "./take-content";

/** The columns of a row that record what was taken out of it. */
export type ContentColumns = { content: TakenContent | null; chunk_ids: ContentId[] | null };
export const STORED_WHOLE: ContentColumns = { content: null, chunk_ids: null };

/** Collects the parts and chunks of a batch's rows by id, each once. */
export class ContentBatch {
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

/** A row of `storedChunks`. */
export type StoredId = { id: ContentId };

/** Statements that store content, in order, with the ids of the new chunks and the number of characters in the new parts. */
type ContentWrites = { statements: readonly SQL[]; newChunks: readonly ContentId[]; characters: number };

/** Returns a query for the chunks of the content that are stored already. */
export const storedChunks = (projectId: string, { chunks }: ContentBatch) =>
  storedIn("content_chunks", projectId, [...chunks.keys()]);

/**
 * Returns the statements that store the rest of the content. The caller holds the shared lock (`sharedSourcesLock`), so that no
 * existing content is deleted before the rows that need it are stored.
 */
export async function contentWrites(
  tx: Db,
  projectId: string,
  { chunks, parts }: ContentBatch,
  stored: readonly StoredId[],
): Promise<ContentWrites> {
  const newChunks = without([...chunks.keys()], stored);
  if (newChunks.length === 0) return { statements: [], newChunks, characters: 0 };
  const partIds = [...new Set(newChunks.flatMap((id) => chunks.get(id) ?? []))];
  const newPartIds = without(partIds, await tx.execute<StoredId>(storedIn("content_parts", projectId, partIds)));
  const newParts = newPartIds.map((id) => {
    const text = parts.get(id);
    if (text === undefined) throw new Error(`The part ${id} has no text.`);
    return { id, content: text };
  });
  const same = { project_id: projectId };
  const rows = newChunks.map((id) => ({ id, part_ids: chunks.get(id) ?? [] }));
  return {
    // Sorted, and parts before chunks, so that two batches cannot deadlock.
    statements: [
      ...insertsOf(contentParts, { same, rows: newParts, onConflict: "nothing" }),
      ...insertsOf(contentChunks, { same, rows, onConflict: "nothing" }),
    ],
    newChunks,
    characters: newParts.reduce((sum, part) => sum + part.content.length, 0),
  };
}

const storedIn = (table: "content_chunks" | "content_parts", projectId: string, ids: readonly ContentId[]) => sql`
  select id from ${sql.identifier(table)} where project_id = ${projectId} and id = any(${uuidArray(ids)})`;

/** Returns the ids that are not stored, sorted. */
function without(ids: readonly ContentId[], stored: readonly StoredId[]): ContentId[] {
  const known = new Set(stored.map(({ id }) => id));
  return ids.filter((id) => !known.has(id)).sort();
}

export const uuidArray = (ids: readonly ContentId[]) => sql`${sql.param([...ids])}::uuid[]`;
