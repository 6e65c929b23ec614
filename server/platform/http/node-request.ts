import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage } from "node:http";
import { MessageChannel } from "node:worker_threads";

// On globalThis, because the web server and Next's route handlers are different bundles of one process.
const shared = globalThis as { whetstoneNodeRequest?: AsyncLocalStorage<IncomingMessage> };
shared.whetstoneNodeRequest ??= new AsyncLocalStorage<IncomingMessage>();
const handled = shared.whetstoneNodeRequest;

/** Handles a request of Node's HTTP server, which `nodeRequest` then returns to whatever `handle` calls. */
export const handlingNodeRequest = <Result>(request: IncomingMessage, handle: () => Result): Result =>
  handled.run(request, handle);

/** Returns the request of Node's HTTP server that is being handled; `undefined` elsewhere, as in tests. */
export const nodeRequest = (): IncomingMessage | undefined => handled.getStore();

/**
 * Copies the unread body of a request into `memory` and returns its length in bytes. The web stream that Next makes of a body
 * would copy each chunk once more. On failure (`signal` aborted, or the body ended early) the rest stays unread.
 */
export function receiveInto(request: IncomingMessage, memory: Uint8Array, signal?: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    let length = 0;
    const data = (chunk: Buffer) => {
      memory.set(chunk, length);
      length += chunk.length;
      free(chunk);
    };
    const end = () => settle(() => resolve(length));
    const failed = (error?: Error) => settle(() => reject(error ?? new Error("The connection was closed.")));
    const closed = () => failed();
    const aborted = () => failed(signal?.reason);
    const settle = (how: () => void) => {
      request.off("data", data).off("end", end).off("error", failed).off("close", closed);
      signal?.removeEventListener("abort", aborted);
      request.pause();
      how();
    };
    if (signal?.aborted) return aborted();
    if (request.destroyed) return closed();
    signal?.addEventListener("abort", aborted, { once: true });
    request.on("data", data).once("end", end).once("error", failed).once("close", closed);
  });
}

const { port1: nowhere, port2: nobody } = new MessageChannel();
nobody.close();

/** Frees the memory of a chunk at once: until V8 collects a chunk, it counts towards the next collection of the whole heap. */
function free({ buffer, byteLength }: Buffer) {
  // A smaller chunk may share a pool with others.
  if (buffer.byteLength === byteLength) nowhere.postMessage(null, [buffer as ArrayBuffer]);
}
