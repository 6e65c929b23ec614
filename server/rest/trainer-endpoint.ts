import { Readable } from "node:stream";
import { LRUCache } from "lru-cache";
import { db } from "@/db/pool";
import { requireShallow } from "@/server/platform/database/storable";
import { MINUTE_MS } from "@/server/platform/durations";
import { notFound, ServiceError } from "@/server/platform/errors";
import { publishDirectRoutes } from "@/server/platform/http/direct-routes";
import { readBody } from "@/server/platform/http/read-body";
import { requestIdOf } from "@/server/platform/http/request-id";
import { networkOf } from "@/server/platform/http/visitor-network";
import { authenticateAgent, leaseCommands, leaseInput, takePart, takeResult } from "@/server/services/trainers";
import { openManifest, takeAgentEvents } from "@/server/services/training";
import { decompressed } from "./http/decompress";
import { problemResponse } from "./http/problem";

const MIB = 1024 * 1024;
const LEASE_MAX_BYTES = MIB;
/** A part of a file in base64, with room for its headers. */
const RESULT_MAX_BYTES = 12 * MIB;
const EVENTS_MAX_BYTES = 4 * MIB;
const EVENTS_MAX_DECOMPRESSED_BYTES = 32 * MIB;

/** By trainer: far more than a healthy one sends, which calls twice for each answer of its models. */
const CALLS_PER_MINUTE = 12_000;
/** For all callers with wrong credentials from one network. */
const REFUSALS_PER_MINUTE = 300;

/** Counts of the current minute, per process: a trainer uses few connections, and credentials are checked anyway. */
const counts = new LRUCache<string, number>({ max: 10_000, ttl: MINUTE_MS, noUpdateTTL: true });

function requireRoom(caller: string, max: number) {
  if ((counts.get(caller) ?? 0) < max) return;
  throw new ServiceError("rate_limited", "Too many calls this minute.", { retryAfter: MINUTE_MS / 1000 });
}
const counted = (caller: string) => void counts.set(caller, (counts.get(caller) ?? 0) + 1);

/**
 * Runs a check of credentials. Failed ones are counted by the caller's network, and after the check: whatever others send, a
 * caller with valid credentials is never refused.
 */
async function limited<T>({ headers }: Request, check: () => T | Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    const caller = `refusals ${networkOf(headers.get("x-forwarded-for") ?? "unknown")}`;
    requireRoom(caller, REFUSALS_PER_MINUTE);
    counted(caller);
    throw error;
  }
}

function parsed(body: Uint8Array): unknown {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(body).toString("utf8"));
  } catch {
    throw new ServiceError("invalid", "The body is not valid JSON.");
  }
  requireShallow(value);
  return value;
}

async function eventsOf(raw: Uint8Array, { headers }: Request): Promise<unknown> {
  const encoding = headers.get("content-encoding") === "gzip" ? "gzip" : "identity";
  return parsed(await decompressed(raw, encoding, EVENTS_MAX_DECOMPRESSED_BYTES));
}

const credentialsOf = (request: Request) =>
  limited(request, () => authenticateAgent(db(), request.headers.get("authorization")));

async function agentOf(request: Request) {
  const agent = await credentialsOf(request);
  requireRoom(agent.id, CALLS_PER_MINUTE);
  counted(agent.id);
  return agent;
}

type Handler = (request: Request, id: string) => Promise<Response>;
type Route = { method: "GET" | "POST"; path: RegExp; handle: Handler };

/** The addresses of a trainer, below `/api/trainer/v1`. */
const ROUTES: readonly Route[] = [
  {
    method: "POST",
    path: /^lease$/,
    async handle(request) {
      const agent = await agentOf(request);
      const lease = leaseInput.parse(parsed(await readBody(request, LEASE_MAX_BYTES)));
      return Response.json(await leaseCommands(db(), agent, lease, request.signal));
    },
  },
  {
    method: "POST",
    path: /^commands\/([\w-]{1,100})$/,
    async handle(request, id) {
      const agent = await agentOf(request);
      return Response.json(await takeResult(db(), agent, id, parsed(await readBody(request, RESULT_MAX_BYTES))));
    },
  },
  {
    method: "POST",
    path: /^commands\/([\w-]{1,100})\/parts$/,
    // Not counted: an agent sends ten a second for each answer in progress.
    async handle(request, id) {
      const agent = await credentialsOf(request);
      return Response.json(await takePart(db(), agent, id, parsed(await readBody(request, RESULT_MAX_BYTES))));
    },
  },
  {
    method: "POST",
    path: /^jobs\/([\w-]{1,100})\/events$/,
    async handle(request, id) {
      const agent = await agentOf(request);
      const events = await eventsOf(await readBody(request, EVENTS_MAX_BYTES), request);
      return Response.json(await takeAgentEvents(db(), agent, id, events));
    },
  },
  {
    method: "GET",
    path: /^manifests\/([0-9a-f]{64})$/,
    async handle(request, sha256) {
      const agent = await agentOf(request);
      const { bytes, content } = await openManifest(db(), agent, sha256);
      const headers = { "content-type": "application/x-ndjson", "content-length": String(bytes) };
      return new Response(Readable.toWeb(Readable.from(content)) as ReadableStream<Uint8Array>, { headers });
    },
  },
];

const PREFIX = "/api/trainer/v1/";
/** What an answer of a deployment waits for, three times. */
const OF_ANSWERS = /^(?:lease|commands\/[^/]+(?:\/parts)?)$/;

/** Handles the calls of trainers. Its addresses do not exist while no trainer could call. */
export async function serveTrainer(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const requestId = requestIdOf(request.headers);
  try {
    const path = pathname.slice(PREFIX.length);
    const route = ROUTES.find((one) => one.method === request.method && one.path.test(path));
    if (!route) throw notFound("This address");
    const response = await route.handle(request, route.path.exec(path)?.[1] ?? "");
    response.headers.set("cache-control", "no-store");
    return response;
  } catch (error) {
    return problemResponse(error, { requestId, instance: pathname });
  }
}

publishDirectRoutes("trainer", {
  include: (method, pathname) =>
    method === "POST" && pathname.startsWith(PREFIX) && OF_ANSWERS.test(pathname.slice(PREFIX.length)),
  handle: serveTrainer,
});
