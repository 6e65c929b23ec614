// @ts-check
// What Next and Node would answer by themselves, each in words of its own, is led to where /v1 answers everything.
import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import { clientAddress } from "./client-address.mjs";

const API = /^\/v1(?=[/?]|$)/;
const NAMED_BY_PROXY = "x-forwarded-for";
/** Next fails on a method that no route may have. */
const ROUTED = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** What Next's own client says to Next: it would answer `/v1` with a redirect, or with nothing that an operation said. */
const OF_NEXT = /^(?:rsc$|next-|x-(?:next|middleware-|now-|matched-path$|prerender-))/;

/**
 * Some of those who read a request look into its raw headers.
 * @param {Pick<import("node:http").IncomingMessage, "headers" | "rawHeaders">} request
 * @param {string} name in lower case
 * @param {string} value
 */
function overwrite({ headers, rawHeaders }, name, value) {
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
 * @param {Pick<import("node:http").IncomingMessage, "method" | "url" | "headers" | "rawHeaders" | "socket">} request
 * @param {import("node:http").ServerResponse} response
 * @param {import("./client-address.mjs").Trust} isTrusted
 */
export function letIn(request, response, isTrusted) {
  const { method = "GET", headers, socket } = request;
  overwrite(request, NAMED_BY_PROXY, clientAddress(socket.remoteAddress, headers[NAMED_BY_PROXY], isTrusted));
  const url = tidy(request.url ?? "/");
  if (!url.startsWith("/")) return refuse(response, 400); // OPTIONS * asks about no address
  const isApi = API.test(url);
  if (isApi) {
    request.url = url; // Next would answer with a redirect, which exporters do not follow
    for (const name in request.headers) if (OF_NEXT.test(name)) delete request.headers[name];
  }
  if (!isReadable(url)) {
    if (!isApi) return refuse(response, 400);
    request.headers["x-asked-address"] = url;
    request.url = "/v1";
  }
  if (!ROUTED.has(method)) {
    if (!isApi) return refuse(response, 501);
    request.headers["x-asked-method"] = method;
    request.method = "OPTIONS";
  }
  return true;
}

/** Without a host (as proxies are asked), doubled and backward slashes and one at the end. @param {string} url */
function tidy(url) {
  const [path = "", ...query] = url.replace(/^https?:\/\/[^/?]*/i, "").split("?");
  return [path.replaceAll(/[\\/]{2,}|\\/g, "/").replace(/(?<=.)\/$/, ""), ...query].join("?");
}

/** @param {string} url */
function isReadable(url) {
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
}

/** @param {import("node:http").ServerResponse} response @param {400 | 501} status */
function refuse(response, status) {
  response.writeHead(status, { "content-type": "text/plain", connection: "close" }).end(STATUS_CODES[status]);
  return false;
}

/** @type {Record<string, number>} */
const STATUS_OF = { HPE_HEADER_OVERFLOW: 431, HPE_CHUNK_EXTENSIONS_OVERFLOW: 413, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/**
 * Answers what is no HTTP that Node can read, so that there is no request to route.
 * @param {NodeJS.ErrnoException} error
 * @param {import("node:stream").Duplex & { _httpMessage?: { _headerSent?: boolean } }} socket
 */
export function answerUnreadable(error, socket) {
  // As Node does it: nothing can follow an answer that has begun.
  if (socket.writable && !socket._httpMessage?._headerSent) socket.write(problemOf(STATUS_OF[error.code ?? ""] ?? 400));
  socket.destroy();
}

/** @param {number} status */
function problemOf(status) {
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
