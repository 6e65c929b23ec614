// What Next and Node would answer by themselves, each in words of its own, is led to where /v1 answers everything.
import { randomUUID } from "node:crypto";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { clientAddress, type Trust } from "@/server/platform/http/client-address";

const API = /^\/v1(?=[/?]|$)/;
const NAMED_BY_PROXY = "x-forwarded-for";
/** Next fails on a method that no route may have. */
const ROUTED = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** What Next's own client says to Next: it would answer `/v1` with a redirect, or with nothing that an operation said. */
const OF_NEXT = /^(?:rsc$|next-|x-(?:next|middleware-|now-|matched-path$|prerender-))/;

/** Sets a header of the request, the raw ones too, which some of its readers look into. `name` is in lower case. */
function overwrite({ headers, rawHeaders }: IncomingMessage, name: string, value: string) {
  headers[name] = value;
  for (let at = rawHeaders.length - 2; at >= 0; at -= 2) {
    if (rawHeaders[at]?.toLowerCase() === name) rawHeaders.splice(at, 2);
  }
  rawHeaders.push(name, value);
}

/**
 * Readies a request that Next would not hand to a route: one to /v1 goes to our dispatcher, which reads in a header what was
 * asked and refuses it there. From here on `X-Forwarded-For` is the one address that the request comes from, for whoever
 * reads it. Returns whether the request may go on; any other is answered here.
 */
export function admit(request: IncomingMessage, response: ServerResponse, isTrusted: Trust): boolean {
  const { method = "GET", headers, socket } = request;
  overwrite(request, NAMED_BY_PROXY, clientAddress(socket.remoteAddress, headers[NAMED_BY_PROXY], isTrusted));
  const url = tidy(request.url ?? "/");
  if (!url.startsWith("/")) return refuse(response, 400); // OPTIONS * asks about no address
  if (API.test(url)) {
    leadToRoute(request, url, method);
    return true;
  }
  if (!isReadable(url)) return refuse(response, 400);
  return ROUTED.has(method) || refuse(response, 501);
}

/** Makes a request to /v1 one that Next routes as it is, whatever was asked. */
function leadToRoute(request: IncomingMessage, url: string, method: string) {
  const { headers } = request;
  request.url = url; // Next would answer with a redirect, which exporters do not follow
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

/** Without a host (as proxies are asked), doubled and backward slashes and one at the end. */
function tidy(url: string) {
  const [path = "", ...query] = url.replace(/^https?:\/\/[^/?]*/i, "").split("?");
  return [path.replaceAll(/[\\/]{2,}|\\/g, "/").replace(/(?<=.)\/$/, ""), ...query].join("?");
}

function isReadable(url: string) {
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

/** Answers what is no HTTP that Node can read, so that there is no request to route. */
export function rejectMalformed(error: NodeJS.ErrnoException, socket: Duplex) {
  const { _httpMessage: begun } = socket as Duplex & { _httpMessage?: { _headerSent?: boolean } };
  // As Node does it: nothing can follow an answer that has begun.
  if (socket.writable && !begun?._headerSent) socket.write(problemOf(STATUS_OF[error.code ?? ""] ?? 400));
  socket.destroy();
}

function problemOf(status: number) {
  const requestId = randomUUID();
  const body = JSON.stringify({
    type: "/docs#problem-invalid",
    title: "The request is not valid",
    status,
    detail: "This is no HTTP request that can be read.",
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
