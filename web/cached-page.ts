// Caches what is the same for everybody for the lifetime of the process.
import type { IncomingMessage, ServerResponse } from "node:http";
import { requestIdOf } from "@/server/platform/http/request-id";
import { etagOf, matchesEtag, REVALIDATE } from "@/server/platform/http/revalidation";
import { type Handler, requestInProcess } from "./in-process-request";
import type { Secure } from "./security-headers";

type Page = { body: Buffer; etag: string; headers: Record<string, string> };

/**
 * Returns a handler that serves GET and HEAD of `path`, and of the pages directly below it that it links to, from memory and passes
 * every other request to `handler`. Each page is rendered once, by a request without anything of the visitor's, so that no visitor can
 * influence it; the first one immediately, because it takes so long that everybody would wait for the first visitor's.
 */
export function withCachedPages(path: string, handler: Handler, secure: Secure): Handler {
  const pageAt = (at: string) => cache(() => render(at, "text/html", handler, secure));
  const first = pageAt(path);
  const below = new Map<string, ReturnType<typeof pageAt>>();
  const isLinked = async (at: string) => (await first())?.body.includes(`href="${at}"`) ?? false;
  void first();
  return async (request, response) => {
    const at = (request.url ?? "/").split("?", 1)[0] ?? "/";
    const isBelow = at.startsWith(`${path}/`) && /^[a-z0-9-]+$/.test(at.slice(path.length + 1));
    if (at !== path && !(isBelow && (below.has(at) || (await isLinked(at))))) return handler(request, response);
    if (!isRead(request)) return response.writeHead(405, { allow: "GET, HEAD" }).end();
    const cached = at === path ? first : (below.get(at) ?? pageAt(at));
    if (at !== path) below.set(at, cached);
    const page = await cached();
    return page ? send(page, request, response) : handler(request, response);
  };
}

/**
 * Returns a handler that serves GET and HEAD of a JSON document of `/v1` from memory, rendered for the first visitor, and passes
 * every other request to `handler`, also those with a query. Each reply would otherwise be a copy of the document.
 */
export function withCachedDocument(path: string, handler: Handler, secure: Secure): Handler {
  const cached = cache(() => render(path, "application/json", handler, secure));
  return async (request, response) => {
    if (request.url !== path || !isRead(request)) return handler(request, response);
    const document = await cached();
    if (!document) return handler(request, response);
    const given = request.headers["x-request-id"];
    response.setHeader(
      "x-request-id",
      requestIdOf(new Headers(given === undefined ? {} : { "x-request-id": String(given) })),
    );
    return send(document, request, response);
  };
}

const isRead = ({ method }: IncomingMessage) => method === "GET" || method === "HEAD";

/** Returns a function that makes the page once; after a failure, which gives `undefined`, the next call tries again. */
function cache(make: () => Promise<Page>): () => Promise<Page | undefined> {
  let making: Promise<Page | undefined> | undefined;
  return () => {
    making ??= make().catch(() => {
      making = undefined;
      return undefined;
    });
    return making;
  };
}

function send({ body, etag, headers }: Page, request: IncomingMessage, response: ServerResponse) {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (matchesEtag(request.headers["if-none-match"], etag)) return response.writeHead(304).end();
  response.writeHead(200, { "content-length": body.length });
  return response.end(request.method === "HEAD" ? undefined : body);
}

/**
 * Renders the page with its policy, because that names the nonce of the page's scripts. Reusing the nonce is safe on a page
 * that contains nobody's data.
 */
async function render(path: string, expected: string, handler: Handler, secure: Secure): Promise<Page> {
  const { status, headers, body } = await requestInProcess(
    (request, response) => {
      secure(request, response);
      return handler(request, response);
    },
    { method: "GET", url: path },
  );
  const type = String(headers["content-type"] ?? "");
  if (status !== 200 || !type.startsWith(expected)) throw new Error(`${path} cannot be rendered: ${status}.`);
  const etag = etagOf(body);
  return {
    body,
    etag,
    headers: {
      "content-type": type,
      "content-security-policy": String(headers["content-security-policy"]),
      "cache-control": REVALIDATE,
      etag,
    },
  };
}
