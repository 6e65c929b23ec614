import { env } from "@/env";
import { createOutbound, type Outbound, OutboundError, type OutboundRequest } from "@/server/platform/outbound";
import { databaseEndpoints } from "@/server/platform/outbound/database-endpoints";
import { publicUrl } from "@/server/platform/public-url";
import { type TrainerCall, type TrainerClient, TrainerUnreachable } from "./trainer-client";
import { refusalOf } from "./trainer-problem";

const MIB = 1024 * 1024;
const REPLY_MAX_BYTES = 32 * MIB;
const PROBLEM_MAX_BYTES = MIB;
/** A checkpoint of a large model is a single file of many gigabytes; the reader's own time limit ends the call. */
const FILE_MAX_BYTES = 1024 * 1024 * MIB;
const FILE_TIMEOUT_MS = 3_600_000;
const CHECK_TIMEOUT_MS = 10_000;
/** For a model's answer: on a slow machine, reading a long prompt takes minutes before the first token. */
const ANSWER_TIMEOUT_MS = 1_800_000;
const ANSWER_SILENCE_MS = 600_000;
const ANSWER_MAX_BYTES = 64 * MIB;
const CONCURRENT_ANSWERS = 256;

type Clients = { calls: Outbound; answers: Outbound };
/** One per host: naming it in TRAINER_URL allows exactly that one, in addition to public addresses. */
const clients = new Map<string, Clients>();

/**
 * Returns the clients for a host. Answers have a separate one, so that slow answers do not use up the concurrency limit of job
 * calls.
 */
function clientsFor({ hostname, port, protocol }: URL): Clients {
  const allow = `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
  const known = clients.get(allow);
  if (known) return known;
  const { DATABASE_URL, MIGRATION_DATABASE_URL } = env();
  const options = { allow, databases: databaseEndpoints([DATABASE_URL, MIGRATION_DATABASE_URL]) };
  const made = {
    calls: createOutbound(options),
    answers: createOutbound({ ...options, silenceMs: ANSWER_SILENCE_MS, concurrentCalls: CONCURRENT_ANSWERS }),
  };
  clients.set(allow, made);
  return made;
}

const parsed = (body: Buffer): unknown => {
  try {
    return body.length === 0 ? null : JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
};

const bodyOf = ({ json, secret }: TrainerCall): unknown =>
  secret === undefined ? json : { ...(json as Record<string, unknown>), secret };

/** After a call without a usable reply, nothing is known about what the trainer is doing. */
const unreachable = (error: unknown) =>
  error instanceof OutboundError ? new TrainerUnreachable(error.message, { cause: error }) : error;

async function firstBytes(body: AsyncIterable<Uint8Array>, max: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body) {
    parts.push(part);
    length += part.length;
    if (length >= max) break;
  }
  return Buffer.concat(parts);
}

async function* arriving(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw unreachable(error);
  }
}

type Attached = { trainerId: string; url: string; token: string };

/** Returns the client of a trainer that we call. */
export function urlTrainer({ trainerId, url, token }: Attached): TrainerClient {
  const { calls: outbound, answers } = clientsFor(new URL(url));
  const requestOf = ({
    method,
    path,
    query = {},
    headers,
    timeoutMs,
    signal,
    projectId,
  }: TrainerCall): OutboundRequest => {
    const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString();
    return {
      projectId,
      method,
      url: `${url}/v1${path}${search && `?${search}`}`,
      headers: { accept: "application/json", ...headers, authorization: `Bearer ${token}` },
      accepts: () => true,
      signal,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    };
  };

  const request: TrainerClient["request"] = async (call) => {
    const given = {
      ...requestOf(call),
      maxBytes: REPLY_MAX_BYTES,
      ...(call.json === undefined ? {} : { json: bodyOf(call) }),
    };
    const { status, headers, body } = await outbound.request(given).catch((error) => {
      throw unreachable(error);
    });
    const json = parsed(body);
    if (status < 200 || status > 299) throw refusalOf(status, json, "TRAINER_TOKEN");
    if (json === undefined) throw new TrainerUnreachable("The trainer's address sent an unexpected reply.");
    return { status, headers, json };
  };

  return {
    trainerId,
    request,
    webhookFor: (jobId) => ({ url: publicUrl(`api/trainer/v1/webhook/${encodeURIComponent(jobId)}`) }),

    async download(call) {
      const given = { ...requestOf(call), timeoutMs: call.timeoutMs ?? FILE_TIMEOUT_MS, maxBytes: FILE_MAX_BYTES };
      const { status, headers, body } = await outbound.stream(given).catch((error) => {
        throw unreachable(error);
      });
      if (status >= 200 && status <= 299) return { status, headers, body };
      const reason = await firstBytes(body, PROBLEM_MAX_BYTES).catch(() => Buffer.alloc(0));
      throw refusalOf(status, parsed(reason), "TRAINER_TOKEN");
    },

    async stream(call) {
      const given = {
        ...requestOf(call),
        timeoutMs: call.timeoutMs ?? ANSWER_TIMEOUT_MS,
        maxBytes: ANSWER_MAX_BYTES,
        ...(call.json === undefined ? {} : { json: call.json }),
      };
      const { status, headers, body } = await answers.stream(given).catch((error) => {
        throw unreachable(error);
      });
      if (status >= 200 && status <= 299) return { status, headers, body: arriving(body) };
      const reason = await firstBytes(body, PROBLEM_MAX_BYTES).catch(() => Buffer.alloc(0));
      throw refusalOf(status, parsed(reason), "TRAINER_TOKEN");
    },

    async sendManifest({ projectId, sha256, content }) {
      const path = `/manifests/${sha256}`;
      const head = { ...requestOf({ method: "HEAD", path, projectId }), timeoutMs: CHECK_TIMEOUT_MS };
      const put = {
        ...requestOf({ method: "PUT", path, projectId, headers: { "content-type": "application/x-ndjson" } }),
        body: content,
        timeoutMs: FILE_TIMEOUT_MS,
      };
      try {
        const known = await outbound.request(head);
        if (known.status === 200 || known.status === 204) return;
        const { status, body } = await outbound.request(put);
        if (status < 200 || status > 299) throw refusalOf(status, parsed(body), "TRAINER_TOKEN");
      } catch (error) {
        throw unreachable(error);
      }
    },
  };
}
