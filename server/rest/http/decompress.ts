import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createGunzip, createInflate, createInflateRaw, gunzip, inflate, inflateRaw } from "node:zlib";
import { ServiceError } from "@/server/platform/errors";

type Bytes = Uint8Array<ArrayBufferLike>;

/** Some clients omit the zlib header that RFC 9110 requires for "deflate". Its first byte has the low nibble 8. */
const hasZlibHeader = (body: Bytes) => ((body[0] ?? 0) & 0x0f) === 8;

const WHOLE = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  raw: promisify(inflateRaw),
} satisfies Record<string, (body: Bytes, options: { maxOutputLength: number }) => Promise<Bytes>>;

export type Encoding = "identity" | "gzip" | "deflate";

const invalid = (encoding: Encoding) => new ServiceError("invalid", `The body is not valid ${encoding}.`);

export const tooLarge = (maxBytes: number) =>
  new ServiceError("too_large", `The body may be at most ${maxBytes / 1024 / 1024} MiB after decompression.`);

/** Returns a whole body decompressed; throws `too_large` before its output exceeds `maxBytes`. */
export async function decompressed(body: Bytes, encoding: Encoding, maxBytes: number): Promise<Bytes> {
  if (encoding === "identity") return body;
  const limited = { maxOutputLength: maxBytes };
  try {
    return await WHOLE[encoding](body, limited).catch((error: { code?: string }) => {
      if (encoding !== "deflate" || error.code === "ERR_BUFFER_TOO_LARGE") throw error;
      return WHOLE.raw(body, limited);
    });
  } catch (error) {
    throw (error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE" ? tooLarge(maxBytes) : invalid(encoding);
  }
}

async function* from(first: Bytes, rest: AsyncIterator<Bytes>) {
  try {
    for (let chunk = first; ; ) {
      yield chunk;
      const next = await rest.next();
      if (next.done) return;
      chunk = next.value;
    }
  } finally {
    await rest.return?.();
  }
}

/** Yields a body decompressed as it arrives; throws `too_large` once it exceeds `maxBytes`. */
export async function* decompressing(
  chunks: AsyncIterable<Bytes>,
  encoding: Encoding,
  maxBytes: number,
): AsyncGenerator<Bytes> {
  if (encoding === "identity") return yield* chunks;
  const source = chunks[Symbol.asyncIterator]();
  const first = await source.next();
  if (first.done) return;
  const unzip =
    encoding === "gzip" ? createGunzip() : hasZlibHeader(first.value) ? createInflate() : createInflateRaw();
  // Errors surface in the loop below.
  pipeline(Readable.from(from(first.value, source)), unzip).catch(() => {});
  let length = 0;
  try {
    for await (const chunk of unzip as AsyncIterable<Bytes>) {
      length += chunk.length;
      if (length > maxBytes) throw tooLarge(maxBytes);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof ServiceError ? error : invalid(encoding);
  }
}
