import { Readable } from "node:stream";
import { LRUCache } from "lru-cache";
import { Pool } from "undici";
import type { CallScope } from "./call-scope";
import { connectorFor } from "./connector";
import { OutboundError } from "./outbound-error";
import type { Policy } from "./policy";
import { ACCEPTED_ENCODINGS, decoded, requireSize } from "./read-reply";
import { type Hop, type OutboundRequest, redirected } from "./request";
import { retryAfterSeconds } from "./retry";

export type Head = { status: number /** By lower-case name. */; headers: Readonly<Record<string, string>> };
/** Read `body` to its end or destroy it: until then the call holds one of its project's slots. */
export type OutboundStream = Head & { body: Readable };

const MAX_HEADER_BYTES = 32 * 1024;
const MAX_REDIRECTS = 5;
/** Origins whose connections are kept alive for the next call. */
const ORIGINS = 200;

const isSuccess = (status: number) => status >= 200 && status < 300;

type Send = (hop: Hop, signal: AbortSignal) => Promise<OutboundStream>;

/** Stops reading a body and ignores its errors. */
function discard(body: Readable) {
  body.on("error", () => {});
  body.destroy();
}

type Connection = {
  connectMs: number;
  ca: string | undefined;
  silenceMs: number;
  keepAliveMs?: number | undefined;
  acceptEncoding?: string | undefined;
};

/** Returns a function that sends one request through a connection pool per origin. */
function createSender(policy: Policy, connection: Connection): Send {
  const { silenceMs, keepAliveMs, acceptEncoding = ACCEPTED_ENCODINGS } = connection;
  const connect = connectorFor(policy, connection);
  const pools = new LRUCache<string, Pool>({ max: ORIGINS, dispose: (pool) => void pool.close().catch(() => {}) });

  function poolOf(origin: string): Pool {
    const limits = { maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: silenceMs, bodyTimeout: silenceMs };
    const reuse = keepAliveMs === undefined ? {} : { keepAliveTimeout: keepAliveMs };
    const pool = pools.get(origin) ?? new Pool(origin, { connect, ...limits, ...reuse });
    pools.set(origin, pool);
    return pool;
  }

  return async ({ url, method, headers, body }, signal) => {
    const path = `${url.pathname}${url.search}`;
    const own = { "user-agent": "whetstone", ...headers, "accept-encoding": acceptEncoding };
    const sent = typeof body === "function" ? Readable.from(body()) : body;
    const reply = await poolOf(url.origin).request({ path, method, headers: own, body: sent, signal });
    const received = Object.entries(reply.headers).map(([name, value]) => [name, [value ?? []].flat().join(", ")]);
    return { status: reply.statusCode, headers: Object.fromEntries(received) as Head["headers"], body: reply.body };
  };
}

/** Names only the first host: the redirect's target comes from the other side and is not repeated. */
function refusedRedirect(host: string, error: unknown): unknown {
  const isRefusal = error instanceof OutboundError && (error.reason === "refused" || error.reason === "invalid");
  return isRefusal ? new OutboundError("refused", `${host} redirects to an address that can't be called.`) : error;
}

/** Sends the request and follows its redirects, each checked like the first address. */
async function follow(policy: Policy, send: Send, first: Hop, signal: AbortSignal): Promise<OutboundStream> {
  const host = first.url.hostname;
  let hop = first;
  for (let redirects = 0; ; redirects++) {
    const reply = await send(hop, signal).catch((error: unknown) => {
      throw redirects > 0 ? refusedRedirect(host, error) : error;
    });
    const next = redirected(hop, reply.status, reply.headers.location);
    if (next === undefined) return reply;
    discard(reply.body);
    if (next === null) {
      const why = `${host} redirects elsewhere, and redirects are followed only when reading. Enter the final address.`;
      throw new OutboundError("redirect", why);
    }
    if (redirects === MAX_REDIRECTS) throw new OutboundError("redirect", `${host} redirects too many times.`);
    try {
      policy.check(next.url.href);
    } catch (error) {
      throw refusedRedirect(host, error);
    }
    hop = next;
  }
}

/** Checks a reply's status and size and returns it with its body decompressed. */
function accepted(
  { status, headers, body }: OutboundStream,
  { accepts = isSuccess }: OutboundRequest,
  first: Hop,
  { maxBytes, failed }: { maxBytes: number; failed: CallScope["failed"] },
): OutboundStream {
  if (!accepts(status)) {
    const retryAfter = retryAfterSeconds(headers["retry-after"]);
    const what = `${first.url.hostname} replied with the status ${status}.`;
    throw new OutboundError("status", what, { status, retryAfter });
  }
  const hasBody = first.method !== "HEAD" && status !== 204 && status !== 304;
  if (hasBody) requireSize(headers["content-length"], maxBytes);
  const read = decoded(body, hasBody ? headers["content-encoding"] : undefined, maxBytes, failed);
  return { status, headers, body: read };
}

export type Transport = ReturnType<typeof createTransport>;

/** Creates the part of the client that makes one attempt: connections, redirects, checks of the reply. */
export function createTransport(policy: Policy, connection: Connection) {
  const send = createSender(policy, connection);
  return {
    /** Sends once and returns the reply as soon as its headers arrived. */
    async open(request: OutboundRequest, first: Hop, scope: CallScope, maxBytes: number): Promise<OutboundStream> {
      const reply = await follow(policy, send, first, scope.signal);
      try {
        return accepted(reply, request, first, { maxBytes, failed: scope.failed });
      } catch (error) {
        discard(reply.body);
        throw error;
      }
    },
  };
}
