import { ServiceError } from "../errors";
import { nodeRequest, receiveInto } from "./node-request";
import { SHARED_BYTES_MIN, withSharedMemory } from "./shared-memory";

const tooLarge = (max: number) => new ServiceError("too_large", `The body is larger than ${max} bytes.`);

/** Node reports an aborted upload as ECONNRESET, which would otherwise be taken for a database fault. */
const incomplete = () => new ServiceError("invalid", "The body ended early.");

/**
 * Yields the body as it arrives and throws `too_large` as soon as its length is known to exceed `max`. The rest stays unread
 * for the HTTP server to discard: cancelling it would close the connection before the client gets the response.
 */
export async function* bodyChunks(
  request: Request,
  max: number,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (Number(request.headers.get("content-length") ?? 0) > max) throw tooLarge(max);
  if (!request.body) return;
  signal?.throwIfAborted();
  const reader = request.body.getReader();
  // Ends the wait for a stalled sender.
  const giveUp = () => reader.releaseLock();
  signal?.addEventListener("abort", giveUp, { once: true });
  const read = () =>
    reader.read().catch(() => {
      throw signal?.reason instanceof ServiceError ? signal.reason : incomplete();
    });
  try {
    let length = 0;
    for (let next = await read(); !next.done; next = await read()) {
      length += next.value.length;
      if (length > max) throw tooLarge(max);
      yield next.value;
    }
  } finally {
    signal?.removeEventListener("abort", giveUp);
  }
}

/** Returns the whole body; throws `too_large` as soon as it exceeds `max` bytes. */
export async function readBody(request: Request, max: number, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of bodyChunks(request, max, signal)) {
    chunks.push(chunk);
    length += chunk.length;
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Reads a body into memory of its length and returns how many bytes came. */
async function readInto(memory: Uint8Array, request: Request, signal: AbortSignal | undefined): Promise<number> {
  const unread = nodeRequest();
  if (unread && !unread.readableDidRead && Number(unread.headers["content-length"]) === memory.length) {
    return receiveInto(unread, memory, signal).catch(() => {
      throw signal?.reason instanceof ServiceError ? signal.reason : incomplete();
    });
  }
  let at = 0;
  for await (const chunk of bodyChunks(request, memory.length, signal)) {
    memory.set(chunk, at);
    at += chunk.length;
  }
  return at;
}

/**
 * Calls `work` with the whole body, which must not be used afterwards: a long one whose length is known is in memory that is
 * reused. Throws `too_large` as soon as it exceeds `max` bytes.
 */
export async function withBody<Result>(
  request: Request,
  max: number,
  signal: AbortSignal | undefined,
  work: (body: Uint8Array) => Promise<Result>,
): Promise<Result> {
  const length = Number(request.headers.get("content-length") ?? 0);
  if (!(length >= SHARED_BYTES_MIN && length <= max)) return work(await readBody(request, max, signal));
  return withSharedMemory(length, async (memory) => work(memory.subarray(0, await readInto(memory, request, signal))));
}
