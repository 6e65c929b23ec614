// Routes requests that Next and Node would answer themselves, each in its own format, to the dispatcher of /v1.
import { randomUUID } from "node:crypto";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { clientAddress, type Trust } from "@/server/platform/http/client-address";
import { hasTooManyParameters } from "@/server/platform/http/query-parameters";

const API = /^\/v1(?=[/?]|$)/;
const NAMED_BY_PROXY = "x-forwarded-for";
/** The methods that a Next route can handle; it fails on any other. */
const ROUTED = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Headers of Next's own client: on `/v1` Next would reply with a redirect, or with a body of its own. */
const OF_NEXT = /^(?:rsc$|next-|x-(?:next|middleware-|now-|matched-path$|prerender-))/;

/** Sets a request header, including in rawHeaders, which some readers use. `name` is in lower case. */
function overwrite({ headers, rawHeaders }: IncomingMessage, name: string, value: string) {
  headers[name] = value;
  for (let at = rawHeaders.length - 2; at >= 0; at -= 2) {
    if (rawHeaders[at]?.toLowerCase() === name) rawHeaders.splice(at, 2);
  }
  rawHeaders.push(name, value);
}

/**
 * Prepares a request for Next. One to /v1 that Next could not route is passed on to our dispatcher, with the original method
 * or path in a header, to be refused there. Sets `X-Forwarded-For` to the one client address for all readers. Returns whether
 * to continue; otherwise the response has been sent.
 */
export function admit(request: IncomingMessage, response: ServerResponse, isTrusted: Trust): boolean {
  const { method = "GET", headers, socket } = request;
  overwrite(request, NAMED_BY_PROXY, clientAddress(socket.remoteAddress, headers[NAMED_BY_PROXY], isTrusted));
  const url = normalizePath(request.url ?? "/");
  if (!url.startsWith("/")) return refuse(response, 400); // OPTIONS * has no path
  if (API.test(url)) {
    makeRoutable(request, url, method);
    return true;
  }
  if (!isReadable(url)) return refuse(response, 400);
  return ROUTED.has(method) || refuse(response, 501);
}

const EXPORT_PATH = /\/(?:traces|logs|metrics)$/;

/** Returns whether an exporter seems to have sent this outside of /v1, where nothing receives telemetry. */
export const isStrayExport = ({ method, url = "/", headers }: IncomingMessage): boolean =>
  method === "POST" &&
  !API.test(url) &&
  (headers["content-type"] === "application/x-protobuf" || EXPORT_PATH.test(url.split("?", 1)[0] ?? ""));

/** Rewrites a request to /v1 so that Next routes it, regardless of its method and path. */
function makeRoutable(request: IncomingMessage, url: string, method: string) {
  const { headers } = request;
  request.url = url; // Next would reply with a redirect, which exporters do not follow
  for (const name in headers) if (OF_NEXT.test(name)) delete headers[name];
  if (!isReadable(url)) {
    headers["x-asked-address"] = url;
    request.url = "/v1";
  }
  if (!ROUTED.has(method)) {
    headers["x-asked-method"] = method;
    request.method = "OPTIONS";
  }
}

/** Strips the host (as sent to proxies), repeated and backward slashes, and a trailing slash. */
function normalizePath(url: string) {
  const [path = "", ...query] = url.replace(/^https?:\/\/[^/?]*/i, "").split("?");
  return [path.replaceAll(/[\\/]{2,}|\\/g, "/").replace(/(?<=.)\/$/, ""), ...query].join("?");
}

function isReadable(url: string) {
  if (hasTooManyParameters(url)) return false;
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
}

function refuse(response: ServerResponse, status: 400 | 501): false {
  response.writeHead(status, { "content-type": "text/plain", connection: "close" }).end(STATUS_CODES[status]);
  return false;
}

const STATUS_OF: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Responds to input that Node cannot parse as HTTP, so that there is no request to route. */
export function rejectMalformed(error: NodeJS.ErrnoException, socket: Duplex) {
  const { _httpMessage: begun } = socket as Duplex & { _httpMessage?: { _headerSent?: boolean } };
  // As Node does: nothing can follow a response that has begun.
  if (socket.writable && !begun?._headerSent) socket.write(problemOf(STATUS_OF[error.code ?? ""] ?? 400));
  socket.destroy();
}

function problemOf(status: number) {
  const requestId = randomUUID();
  const body = JSON.stringify({
    type: "/docs#problem-invalid",
    title: "The request is not valid",
    status,
    detail: "This is not a readable HTTP request.",
    instance: "/",
    code: "invalid",
    requestId,
  });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "content-type: application/problem+json",
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    "connection: close",
    "",
    body,
  ].join("\r\n");
}
