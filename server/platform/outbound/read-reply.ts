import { pipeline, type Readable, Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { OutboundError } from "./outbound-error";

/** The encodings that requests ask for. */
export const ACCEPTED_ENCODINGS = "gzip, deflate, br";

const DECODERS: Record<string, () => Transform> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

const tooLarge = (maxBytes: number) =>
  new OutboundError("too_large", `The reply is larger than ${maxBytes.toLocaleString("en")} bytes.`);

type Failed = (error: unknown) => Error;

/** Passes bytes on until there are too many of them. What goes wrong before it is told as `failed` says it. */
function atMost(maxBytes: number, failed: Failed = (error) => error as Error): Transform {
  let bytes = 0;
  return new Transform({
    destroy: (error, done) => done(error && failed(error)),
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) done(tooLarge(maxBytes));
      else done(null, chunk);
    },
  });
}

/**
 * Returns a reply's body as it was before its compression, and ends it at `maxBytes`, on the wire and decompressed: a body
 * that never decompresses to anything is no way around.
 */
export function decoded(body: Readable, encoding: string | undefined, maxBytes: number, failed: Failed): Readable {
  const coding = (encoding ?? "identity").trim().toLowerCase();
  const decoder = DECODERS[coding];
  if (decoder === undefined && coding !== "identity" && coding !== "") {
    throw new OutboundError("unreadable", "The reply is compressed in a way that was not asked for.");
  }
  const ignore = () => {}; // who reads the last stream hears of it
  return decoder
    ? pipeline(body, atMost(maxBytes), decoder(), atMost(maxBytes, failed), ignore)
    : pipeline(body, atMost(maxBytes, failed), ignore);
}

/** Refuses a reply that says itself that it is too large, before any of it is read. */
export function requireSize(contentLength: string | undefined, maxBytes: number) {
  if (Number(contentLength ?? 0) > maxBytes) throw tooLarge(maxBytes);
}
