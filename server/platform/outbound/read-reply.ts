import { pipeline, type Readable, Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { ownValue } from "@/server/platform/json/own-value";
import { OutboundError } from "./outbound-error";

/** The `Accept-Encoding` of requests. */
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

/** Returns a stream that fails once more than `maxBytes` passed. Upstream errors are mapped by `failed`. */
function limitBytes(maxBytes: number, failed: Failed = (error) => error as Error): Transform {
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
 * Returns a reply's body decompressed. It fails beyond `maxBytes`, both on the wire and decompressed, so that input that never
 * decompresses to anything is bounded too.
 */
export function decoded(body: Readable, encoding: string | undefined, maxBytes: number, failed: Failed): Readable {
  const coding = (encoding ?? "identity").trim().toLowerCase();
  const decoder = ownValue(DECODERS, coding);
  if (decoder === undefined && coding !== "identity" && coding !== "") {
    throw new OutboundError("unreadable", "The reply has a content encoding that was not requested.");
  }
  const ignore = () => {}; // the reader of the last stream gets the error
  return decoder
    ? pipeline(body, limitBytes(maxBytes), decoder(), limitBytes(maxBytes, failed), ignore)
    : pipeline(body, limitBytes(maxBytes, failed), ignore);
}

/** Throws `too_large` if the declared length exceeds the limit, before the body is read. */
export function requireSize(contentLength: string | undefined, maxBytes: number) {
  if (Number(contentLength ?? 0) > maxBytes) throw tooLarge(maxBytes);
}
