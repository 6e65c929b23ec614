import { lookup } from "node:dns/promises";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { LRUCache } from "lru-cache";
import { Pool } from "undici";
import type { z } from "zod";
import { createBulkhead, emptyBulkhead } from "../database/bulkhead";
import { refuseInsideTransaction } from "../database/inside-transaction";
import { allowList } from "./allow-list";
import { type CallScope, callScope } from "./call-scope";
import { connectorFor } from "./connector";
import { OutboundError } from "./outbound-error";
import { createPolicy, type DatabaseEndpoint, type Resolve } from "./policy";
import { ACCEPTED_ENCODINGS, decoded, requireSize } from "./read-reply";
import { firstHop, type Hop, type OutboundRequest, redirected } from "./request";
import { retryAfterSeconds, withRetries } from "./retry";

type Head = { status: number /** By lower-case name. */; headers: Readonly<Record<string, string>> };
export type OutboundReply = Head & { body: Buffer };
/** `body` is read to its end or destroyed: until then the call takes part of its project's share. */
export type OutboundStream = Head & { body: Readable };
export type Outbound = ReturnType<typeof createOutbound>;

const SECOND = 1000;
const MIB = 1024 * 1024;
const LIMITS = { timeoutMs: 30 * SECOND, maxBytes: 10 * MIB };
const STREAM_LIMITS = { timeoutMs: 600 * SECOND, maxBytes: 1024 * MIB };
const MAX_HEADER_BYTES = 32 * 1024;
const MAX_REDIRECTS = 5;
/** Of all projects in one process; one alone has half of them. */
const CONCURRENT_CALLS = 64;
/** Whose connections are kept for the next call. */
const ORIGINS = 200;

const REPEATABLE: ReadonlySet<string> = new Set(["GET", "HEAD", "PUT", "DELETE"]);
const isSuccess = (status: number) => status >= 200 && status < 300;

type Options = {
  /** As OUTBOUND_ALLOW says it. */
  allow?: string | undefined;
  /** Where our own databases listen: never called, whatever is allowed. */
  databases?: readonly DatabaseEndpoint[];
  resolve?: Resolve;
  /** Certificates to trust in place of the system's. */
  ca?: string;
  connectMs?: number;
  /** The longest silence, before a reply and within its body. */
  silenceMs?: number;
  retryBaseMs?: number;
  concurrentCalls?: number;
};

/** Stops reading a body, however that ends. */
function discard(body: Readable) {
  body.on("error", () => {});
  body.destroy();
}

/** Makes the client for every address that a person gave. It knows no proxy and keeps no cookies. */
export function createOutbound({
  allow,
  databases = [],
  resolve = (host) => lookup(host, { all: true, verbatim: true }),
  ca,
  connectMs = 5 * SECOND,
  silenceMs = 60 * SECOND,
  retryBaseMs = SECOND / 4,
  concurrentCalls = CONCURRENT_CALLS,
}: Options = {}) {
  const policy = createPolicy({ allow: allowList(allow), databases, resolve });
  const connect = connectorFor(policy, { connectMs, ca });
  const busy = "Earlier calls of this project to other services are still in progress. Try again shortly.";
  const bulkhead = createBulkhead(emptyBulkhead(concurrentCalls), { busy });
  const pools = new LRUCache<string, Pool>({ max: ORIGINS, dispose: (pool) => void pool.close().catch(() => {}) });

  function poolOf(origin: string): Pool {
    const limits = { maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: silenceMs, bodyTimeout: silenceMs };
    const pool = pools.get(origin) ?? new Pool(origin, { connect, ...limits });
    pools.set(origin, pool);
    return pool;
  }

  async function send({ url, method, headers, body }: Hop, signal: AbortSignal) {
    const path = `${url.pathname}${url.search}`;
    const own = { "user-agent": "whetstone", ...headers, "accept-encoding": ACCEPTED_ENCODINGS };
    const reply = await poolOf(url.origin).request({ path, method, headers: own, body, signal });
    const received = Object.entries(reply.headers).map(([name, value]) => [name, [value ?? []].flat().join(", ")]);
    return { status: reply.statusCode, headers: Object.fromEntries(received) as Head["headers"], body: reply.body };
  }

  /** Sends the request and what its redirects ask for, each checked as the first was. */
  async function follow(first: Hop, signal: AbortSignal) {
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
        const why = `${host} redirects elsewhere, which is followed only when reading. Give the address where it ends.`;
        throw new OutboundError("redirect", why);
      }
      if (redirects === MAX_REDIRECTS) throw new OutboundError("redirect", `${host} redirects too often.`);
      try {
        policy.check(next.url.href);
      } catch (error) {
        throw refusedRedirect(host, error);
      }
      hop = next;
    }
  }

  /** Sends once, and returns what came as soon as its headers are there. */
  async function open(
    request: OutboundRequest,
    first: Hop,
    scope: CallScope,
    maxBytes: number,
  ): Promise<OutboundStream> {
    const { status, headers, body } = await follow(first, scope.signal);
    try {
      if (!(request.accepts ?? isSuccess)(status)) {
        const retryAfter = retryAfterSeconds(headers["retry-after"]);
        const what = `${first.url.hostname} replied with the status ${status}.`;
        throw new OutboundError("status", what, { status, retryAfter });
      }
      const hasBody = first.method !== "HEAD" && status !== 204 && status !== 304;
      if (hasBody) requireSize(headers["content-length"], maxBytes);
      const read = decoded(body, hasBody ? headers["content-encoding"] : undefined, maxBytes, scope.failed);
      return { status, headers, body: read };
    } catch (error) {
      discard(body);
      throw error;
    }
  }

  /** Waits for the project's share, opens, and keeps the share until the body has ended, one way or the other. */
  function share(projectId: string, { signal, failed }: CallScope, opened: () => Promise<OutboundStream>) {
    return new Promise<OutboundStream>((resolve, reject) => {
      const giveUp = () => reject(signal.reason);
      if (signal.aborted) giveUp();
      signal.addEventListener("abort", giveUp, { once: true });
      const work = async () => {
        signal.throwIfAborted();
        const reply = await opened().catch((error: unknown) => {
          throw failed(error);
        });
        const closed = new Promise((close) => void reply.body.once("close", close));
        resolve(reply);
        await closed;
      };
      bulkhead.run(projectId, work).catch(reject);
    });
  }

  async function call<T>(
    request: OutboundRequest,
    limits: { timeoutMs: number; maxBytes: number },
    take: (reply: OutboundStream, scope: CallScope) => Promise<T>,
  ): Promise<T> {
    refuseInsideTransaction("A call to another service");
    const first = firstHop(policy.check(request.url), request);
    const { timeoutMs = limits.timeoutMs, maxBytes = limits.maxBytes } = request;
    const scope = callScope(first.url.hostname, timeoutMs, request.signal);
    const attempt = async () =>
      take(await share(request.projectId, scope, () => open(request, first, scope, maxBytes)), scope);
    try {
      const isRepeatable = request.repeatable ?? REPEATABLE.has(first.method);
      return await (isRepeatable ? withRetries(attempt, scope, retryBaseMs) : attempt());
    } catch (error) {
      scope.end();
      throw scope.signal.aborted ? scope.signal.reason : error;
    }
  }

  /** Calls an address and returns its whole reply. */
  const request = (given: OutboundRequest): Promise<OutboundReply> =>
    call(given, LIMITS, async ({ body, ...head }, scope) => {
      const reply = { ...head, body: await buffer(body) };
      scope.end();
      return reply;
    });

  return {
    /** Returns an address as it is called, or throws why it is not, as far as that shows without asking anybody. */
    check: (url: string): URL => policy.check(url),

    request,

    /** Calls an address and returns its reply in the form that the schema says. */
    async json<Schema extends z.ZodType>(given: OutboundRequest, schema: Schema): Promise<z.output<Schema>> {
      const headers = { accept: "application/json", ...given.headers };
      const { body } = await request({ ...given, headers });
      const parsed = schema.safeParse(parsedJson(body));
      if (parsed.success) return parsed.data;
      const { hostname } = new URL(given.url);
      throw new OutboundError("unreadable", `${hostname} replied something other than what was expected.`);
    },

    /** Calls an address and returns its reply while it is still coming: events, downloads. */
    stream: (given: OutboundRequest): Promise<OutboundStream> =>
      call(given, STREAM_LIMITS, async (reply, scope) => {
        const stop = () => reply.body.destroy(scope.signal.reason);
        scope.signal.addEventListener("abort", stop, { once: true });
        // A reader that has not begun yet hears of it when it does.
        reply.body.on("error", () => {});
        reply.body.once("close", () => scope.end());
        return reply;
      }),
  };
}

/** What a redirect leads to is the other side's word, so it is not repeated. */
function refusedRedirect(host: string, error: unknown): unknown {
  const isRefusal = error instanceof OutboundError && (error.reason === "refused" || error.reason === "invalid");
  return isRefusal ? new OutboundError("refused", `${host} redirects to an address that is not called.`) : error;
}

function parsedJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}
