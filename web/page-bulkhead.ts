// Limits how many pages are rendered at once. A page takes milliseconds of the one thread that also serves everybody else, and a
// connection may ask for a hundred without reading any.
import { AsyncResource } from "node:async_hooks";
import type { IncomingMessage, ServerResponse } from "node:http";
import { networkOf } from "@/server/platform/http/visitor-network";
import type { Handler } from "./in-process-request";

const CONCURRENT_PAGES = 8;
/** By then the rest of a response waits for its reader and no longer for us. */
const RENDERING_MS = 2_000;
/** What renders nothing: data, files and checks. */
const NO_PAGE = /^\/(?:v1|mcp|api|_next)(?=[/?]|$)|^\/(?:healthz|readyz)(?=\?|$)/;

type Options = { concurrent?: number; renderingMs?: number };

/**
 * Returns a handler that renders a few pages at once. Others wait, in turns by their visitors' networks, so that a flood from one
 * delays only itself; a page whose visitor has left meanwhile is not rendered.
 */
export function withPageBulkhead(
  handler: Handler,
  { concurrent = CONCURRENT_PAGES, renderingMs = RENDERING_MS }: Options = {},
): Handler {
  let running = 0;
  const waiting = new Map<string, (() => void)[]>();

  /** Takes the first of the network whose turn it is, and puts that network behind the others. */
  function next(): (() => void) | undefined {
    const [turn] = waiting;
    if (!turn) return undefined;
    const [network, queue] = turn;
    const first = queue.shift();
    waiting.delete(network);
    if (queue.length > 0) waiting.set(network, queue);
    return first;
  }
  function proceed() {
    while (running < concurrent) {
      const begin = next();
      if (!begin) return;
      begin();
    }
  }

  async function render(request: IncomingMessage, response: ServerResponse) {
    if (request.socket.destroyed) return;
    running++;
    let timer: NodeJS.Timeout | undefined;
    const rendered = new Promise<void>((done) => {
      response.once("close", done);
      timer = setTimeout(done, renderingMs);
    });
    const handled = Promise.resolve(handler(request, response));
    await Promise.race([handled, rendered]).catch(() => {});
    clearTimeout(timer);
    running--;
    proceed();
    await handled;
  }

  return (request, response) => {
    if (NO_PAGE.test(request.url ?? "/")) return handler(request, response);
    return new Promise((resolve, reject) => {
      const network = networkOf(String(request.headers["x-forwarded-for"] ?? ""));
      // In the context of its own request, not of the one whose end lets it begin.
      const begin = AsyncResource.bind(() => void render(request, response).then(resolve, reject));
      waiting.set(network, [...(waiting.get(network) ?? []), begin]);
      proceed();
    });
  };
}
