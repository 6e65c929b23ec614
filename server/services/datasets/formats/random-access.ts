import type { RandomAccess } from "./types";

const CHUNK_BYTES = 1024 * 1024;

/** Returns bytes in memory as a file. */
export const fromBytes = (bytes: Uint8Array): RandomAccess => ({
  size: bytes.length,
  read: async (start, end) => bytes.subarray(start, end),
});

/** Reads a file from `start` to its end, one chunk at a time. */
export async function* chunksOf(file: RandomAccess, start: number): AsyncGenerator<Uint8Array> {
  for (let at = start; at < file.size; at += CHUNK_BYTES) {
    yield await file.read(at, Math.min(at + CHUNK_BYTES, file.size));
  }
}
