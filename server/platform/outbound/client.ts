import { lookup } from "node:dns/promises";
import { buffer } from "node:stream/consumers";
import type { z } from "zod";
import { SECOND_MS } from "@/server/platform/durations";
import { createBulkhead, emptyBulkhead } from "../database/bulkhead";
import { refuseInsideTransaction } from "../database/inside-transaction";
import { allowList } from "./allow-list";
import { type CallScope, callScope } from "./call-scope";
import { OutboundError } from "./outbound-error";
import { createPolicy, type DatabaseEndpoint, type Policy, type Resolve } from "./policy";
import { firstHop, type OutboundRequest } from "./request";
import { withRetries } from "./retry";
import { createTransport, type Head, type OutboundStream, type Transport } from "./transport";

export type OutboundReply = Head & { body: Buffer };
export type { OutboundStream } from "./transport";
export type Outbound = ReturnType<typeof createOutbound>;

const MIB = 1024 * 1024;
type Limits = { timeoutMs: number; maxBytes: number };
const LIMITS: Limits = { timeoutMs: 30 * SECOND_MS, maxBytes: 10 * MIB };
const STREAM_LIMITS: Limits = { timeoutMs: 600 * SECOND_MS, maxBytes: 1024 * MIB };
/** For all projects in one process; a single project gets at most half. */
const CONCURRENT_CALLS = 64;
const BUSY = "Earlier calls from this project to other services are still in progress. Try again shortly.";

const IDEMPOTENT: ReadonlySet<string> = new Set(["GET", "HEAD", "PUT", "DELETE"]);

type Bulkhead = ReturnType<typeof createBulkhead>;

type Options = {
  /** The value of OUTBOUND_ALLOW. */
  allow?: string | undefined;
  /** Endpoints of our own databases: never called, whatever is allowed. */
  databases?: readonly DatabaseEndpoint[];
  resolve?: Resolve;
  /** Certificates to trust instead of the system's. */
  ca?: string;
  connectMs?: number;
  /** The longest silence before a reply and within its body. */
  silenceMs?: number;
  retryBaseMs?: number;
  concurrentCalls?: number;
  /** How long an idle connection is reused, unless the other side says so. */
  keepAliveMs?: number;
  /** The `Accept-Encoding` of requests. */
  acceptEncoding?: string;
};

/** Creates the client for every address that a person entered. It uses no proxy and stores no cookies. */
export function createOutbound({
  allow,
  databases = [],
  resolve = (host) => lookup(host, { all: true, verbatim: true }),
  ca,
  connectMs = 5 * SECOND_MS,
  silenceMs = 60 * SECOND_MS,
  retryBaseMs = SECOND_MS / 4,
  concurrentCalls = CONCURRENT_CALLS,
  keepAliveMs,
  acceptEncoding,
}: Options = {}) {
  const policy = createPolicy({ allow: allowList(allow), databases, resolve });
  const transport = createTransport(policy, { connectMs, ca, silenceMs, keepAliveMs, acceptEncoding });
  const bulkhead = createBulkhead(emptyBulkhead(concurrentCalls), { busy: BUSY });
  const call = createCall({ policy, transport, bulkhead, retryBaseMs });

  /** Calls an address and returns its whole reply. */
  const request = (given: OutboundRequest): Promise<OutboundReply> =>
    call(given, LIMITS, async ({ body, ...head }, scope) => {
      const reply = { ...head, body: await buffer(body) };
      scope.end();
      return reply;
    });

  return {
    /** Returns the normalized address, or throws the reason for refusing it, as far as it is known without a lookup. */
    check: (url: string): URL => policy.check(url),

    request,

    /** Calls an address and returns its reply as the schema's output; throws `unreadable` for any other reply. */
    async json<Schema extends z.ZodType>(given: OutboundRequest, schema: Schema): Promise<z.output<Schema>> {
      const headers = { accept: "application/json", ...given.headers };
      const { body } = await request({ ...given, headers });
      const parsed = schema.safeParse(parsedJson(body));
      if (parsed.success) return parsed.data;
      const { hostname } = new URL(given.url);
      throw new OutboundError("unreadable", `${hostname} sent an unexpected reply.`);
    },

    /** Calls an address and returns its reply as it arrives: events, downloads. */
    stream: (given: OutboundRequest): Promise<OutboundStream> => call(given, STREAM_LIMITS, asStream),
  };
}

type CallOptions = { policy: Policy; transport: Transport; bulkhead: Bulkhead; retryBaseMs: number };

/** Returns a function that makes a call within its limits, with retries where it may be repeated. */
const createCall =
  ({ policy, transport, bulkhead, retryBaseMs }: CallOptions) =>
  async <T>(
    request: OutboundRequest,
    limits: Limits,
    consume: (reply: OutboundStream, scope: CallScope) => Promise<T>,
  ): Promise<T> => {
    refuseInsideTransaction("A call to another service");
    const first = firstHop(policy.check(request.url), request);
    const { timeoutMs = limits.timeoutMs, maxBytes = limits.maxBytes } = request;
    const scope = callScope(first.url.hostname, timeoutMs, request.signal);
    const open = () => transport.open(request, first, scope, maxBytes);
    const attempt = async () => consume(await holdingSlot(bulkhead, request.projectId, scope, open), scope);
    try {
      const mayRepeat = request.repeatable ?? IDEMPOTENT.has(first.method);
      return await (mayRepeat ? withRetries(attempt, scope, retryBaseMs) : attempt());
    } catch (error) {
      scope.end();
      throw scope.signal.aborted ? scope.signal.reason : error;
    }
  };

/** Waits for one of the project's slots, opens the reply, and holds the slot until its body has closed. */
function holdingSlot(
  bulkhead: Bulkhead,
  projectId: string,
  { signal, failed }: CallScope,
  open: () => Promise<OutboundStream>,
) {
  return new Promise<OutboundStream>((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    const work = async () => {
      signal.throwIfAborted();
      const reply = await open().catch((error: unknown) => {
        throw failed(error);
      });
      const closed = new Promise((close) => void reply.body.once("close", close));
      resolve(reply);
      await closed;
    };
    bulkhead.run(projectId, work).catch(reject);
  });
}

/** Ties a reply's body to its call: an abort destroys the body, and its close ends the call. */
async function asStream(reply: OutboundStream, scope: CallScope): Promise<OutboundStream> {
  const stop = () => reply.body.destroy(scope.signal.reason);
  scope.signal.addEventListener("abort", stop, { once: true });
  // Without a listener an early error would be uncaught; a reader that starts later still gets it.
  reply.body.on("error", () => {});
  reply.body.once("close", () => scope.end());
  return reply;
}

function parsedJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}
