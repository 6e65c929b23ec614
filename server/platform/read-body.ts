import { ServiceError } from "./errors";

const tooLarge = (max: number) => new ServiceError("too_large", `The body is larger than ${max} bytes.`);

/** What breaks off is told by Node as a connection that was reset, which from the database would mean something else. */
const brokenOff = () => new ServiceError("invalid", "The body broke off before its end.");

/**
 * Yields the body as it arrives and refuses it as soon as it is known to be too long: nobody can fill memory by sending
 * more. What is left of it stays unread, for the HTTP server to throw away: cancelled, it would end the connection before
 * the answer is heard.
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
  // Ends the wait for a sender who stopped sending.
  const giveUp = () => reader.releaseLock();
  signal?.addEventListener("abort", giveUp, { once: true });
  const read = () =>
    reader.read().catch(() => {
      throw signal?.reason instanceof ServiceError ? signal.reason : brokenOff();
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

/** Returns the whole body, refused as soon as it is known to be too long. */
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
