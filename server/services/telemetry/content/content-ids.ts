import { createHash } from "node:crypto";

/** The first 128 bits of a SHA-256 as a UUID, which Postgres stores compactly. Projects never share content ids. */
export type ContentId = string;

function idOf(kind: "part" | "chunk", projectId: string, text: string): ContentId {
  const hex = createHash("sha256").update(`${kind}\0${projectId}\0`).update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

export const partId = (projectId: string, text: string) => idOf("part", projectId, text);
export const chunkId = (projectId: string, partIds: readonly ContentId[]) => idOf("chunk", projectId, partIds.join());

/** One part in 16 ends a chunk. */
const ENDS_CHUNK = /^.0/;
const PARTS_MAX = 64;

/**
 * Divides a list of parts into chunks whose ends depend on the parts themselves, so lists that share a stretch share its
 * chunks, wherever it begins. A list of n parts thus takes about n / 16 + 16 references, of which only the last few are new
 * when it grows.
 */
export function chunksOf(partIds: readonly ContentId[]): ContentId[][] {
  const chunks: ContentId[][] = [];
  let chunk: ContentId[] = [];
  for (const id of partIds) {
    chunk.push(id);
    if (!ENDS_CHUNK.test(id) && chunk.length < PARTS_MAX) continue;
    chunks.push(chunk);
    chunk = [];
  }
  return chunk.length > 0 ? [...chunks, chunk] : chunks;
}
