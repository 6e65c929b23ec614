// Hands a few requests to their handler without Next, which adds 2 ms to each and more while many are in progress.
import type { IncomingMessage, ServerResponse } from "node:http";
import { type DirectRoutes, directRoutesFor } from "@/server/platform/http/direct-routes";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import type { Handler } from "./in-process-request";

/** Returns a handler that serves the published routes itself, and leaves all others, and those not yet published, to `handler`. */
export const withDirectRoutes =
  (handler: Handler): Handler =>
  (request, response) => {
    const { method = "GET", url = "/" } = request;
    const routes = directRoutesFor(method, url.split("?", 1)[0] ?? "/");
    if (routes === undefined) return handler(request, response);
    return serve(routes, request, response).catch((error: unknown) => {
      // The connection closes before the body ends, so that the client sees that it is incomplete.
      if (!response.destroyed) logger("web").error({ err: loggable(error) }, "A response ended early.");
      response.destroy();
    });
  };

async function serve({ handle }: DirectRoutes, request: IncomingMessage, response: ServerResponse) {
  const left = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) left.abort();
  });
  await send(await handle(webRequest(request, left.signal)), response);
}

function webRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET", url, headers } = request;
  const given = Object.entries(headers).map(([name, value]) => [name, String(value)] satisfies [string, string]);
  const body = method === "GET" ? {} : { body: bodyOf(request), duplex: "half" as const };
  return new Request(`http://localhost${url}`, { method, headers: given, signal, ...body });
}

/** Reads nothing before it is asked to: a long body is read past this stream, into memory that is reused. */
function bodyOf(request: IncomingMessage): ReadableStream<Uint8Array> {
  let chunks: AsyncIterator<Buffer> | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // What is left of a body is not for us to discard: destroying it would close the connection before the response.
        chunks ??= request.iterator({ destroyOnReturn: false });
        const next = await chunks.next();
        if (next.done) controller.close();
        else controller.enqueue(new Uint8Array(next.value));
      },
    },
    { highWaterMark: 0 },
  );
}

async function send({ status, statusText, headers, body }: Response, response: ServerResponse) {
  response.statusCode = status;
  response.statusMessage = statusText;
  for (const [name, value] of headers) response.setHeader(name, value);
  const reader = body?.getReader();
  // Whoever produces the body stops when its reader has left, also while it waits for the next part.
  response.once("close", () => void reader?.cancel().catch(() => {}));
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    if (response.destroyed) return;
    if (!response.write(part.value)) await roomIn(response);
  }
  response.end();
}

/** Resolves when a response has room for more, or is gone. */
const roomIn = (response: ServerResponse) =>
  new Promise<void>((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.once("drain", done).once("close", done);
  });
