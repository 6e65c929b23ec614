import type { IncomingBody } from "../stream-verb";

/** For tests: returns a body that arrives in these chunks. */
export const bodyOfChunks = (...chunks: readonly Uint8Array[]): IncomingBody => ({
  mediaType: "application/octet-stream",
  whole: (work) => work(Buffer.concat(chunks)),
  async *chunks() {
    yield* chunks;
  },
});
