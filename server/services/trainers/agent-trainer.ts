import { setTimeout as wait } from "node:timers/promises";
import { and, eq, or, sql } from "drizzle-orm";
import { z } from "zod";
import type { Db } from "@/db/client";
import { ringKeys, trainerCommands } from "@/db/schema";
import { refuseInsideTransaction } from "@/server/platform/database/inside-transaction";
import { transact } from "@/server/platform/database/transact";
import { newId } from "@/server/platform/ids";
import { type Envelope, type SecretLocation, sealSecret, unsealSecret } from "@/server/platform/key-ring";
import { type TrainerCall, type TrainerClient, TrainerUnreachable } from "./trainer-client";
import { refusalOf } from "./trainer-problem";

const TIMEOUT_MS = 30_000;
/** Polling interval for a result; short, because a user may be waiting. */
const LOOK_MS = 100;
/** Bytes of a file per command: its result is stored until it is read. */
export const CHUNK_BYTES = 8 * 1024 * 1024;
const CHUNK_TIMEOUT_MS = 120_000;
/** For a model's answer, which arrives as a whole. */
const ANSWER_TIMEOUT_MS = 600_000;

/** An agent's response. A body that is not JSON is base64. */
export const commandResult = z.object({
  status: z.int().min(100).max(599),
  headers: z.record(z.string().max(200), z.string().max(8000)).default({}),
  body: z.unknown().optional(),
});
export type CommandResult = z.infer<typeof commandResult>;

type Payload = Record<string, unknown>;

/** Returns the location of a command's secret, for the key ring. */
const locationOf = (projectId: string, id: string): SecretLocation => ({
  projectId,
  id,
  field: "trainer_commands.secret",
});

/** Returns the part of a command that the agent receives. The project stays here. */
const withoutOurs = ({ projectId: _, sealedSecret: __, ...payload }: Payload) => payload;

/** Returns what the agent receives of a command; `null` if its secret can no longer be decrypted: the caller will retry. */
export async function sentPayload(db: Db, id: string, payload: Payload): Promise<Payload | null> {
  const envelope = payload.sealedSecret as Envelope | undefined;
  if (!envelope) return withoutOurs(payload);
  const [ring] = await db.select({ wrapped: ringKeys.wrapped }).from(ringKeys).where(eq(ringKeys.id, envelope.ringKey));
  if (!ring) return null;
  try {
    const location = locationOf(String(payload.projectId), id);
    const secret = unsealSecret(location, { ...envelope, wrapped: ring.wrapped });
    return { ...withoutOurs(payload), body: { ...(payload.body as Payload), secret } };
  } catch {
    return null;
  }
}

const lowerCased = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const jsonOf = (body: unknown): unknown => {
  if (typeof body !== "string") return body ?? null;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
};

async function enqueue(db: Db, trainerId: string, call: TrainerCall) {
  const { method, path, query, headers, json, projectId, secret } = call;
  const id = newId("cmd");
  const payload = {
    projectId,
    method,
    path: `/v1${path}`,
    query: query ?? {},
    headers: headers ?? {},
    body: json ?? null,
  };
  const store = (on: Db, more: Payload) =>
    on.insert(trainerCommands).values({ id, trainerId, state: "queued", payload: { ...payload, ...more } });
  if (secret === undefined) await store(db, {});
  else {
    await transact(db, async (tx) => {
      await store(tx, { sealedSecret: await sealSecret(tx, locationOf(projectId, id), secret) });
    });
  }
  return id;
}

/** Waits for a command's result. On a timeout, removes the command if the agent has not fetched it or it contains a secret. */
async function resultOf(db: Db, id: string, timeoutMs: number, signal?: AbortSignal): Promise<CommandResult> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline && !signal?.aborted) {
    const [row] = await db
      .select({ state: trainerCommands.state, result: trainerCommands.result })
      .from(trainerCommands)
      .where(eq(trainerCommands.id, id));
    if (!row) throw new TrainerUnreachable("The trainer was removed.");
    if (row.state === "done") return commandResult.parse(row.result);
    await wait(LOOK_MS);
  }
  const isOver = or(eq(trainerCommands.state, "queued"), sql`${trainerCommands.payload} ? 'sealedSecret'`);
  await db.delete(trainerCommands).where(and(eq(trainerCommands.id, id), isOver));
  signal?.throwIfAborted();
  throw new TrainerUnreachable(`The trainer did not reply within ${Math.round(timeoutMs / 1000)} s.`);
}

type Attached = { db: Db; trainerId: string; isOnline: boolean };

/** Returns the client of a trainer that fetches our calls itself. */
export function agentTrainer({ db, trainerId, isOnline }: Attached): TrainerClient {
  async function send(given: TrainerCall): Promise<string> {
    refuseInsideTransaction("A call to a trainer");
    if (!isOnline) throw new TrainerUnreachable("The trainer has not connected recently.");
    return enqueue(db, trainerId, given);
  }
  const forget = (id: string) => db.delete(trainerCommands).where(eq(trainerCommands.id, id));

  async function call(given: TrainerCall, timeoutMs: number): Promise<{ id: string; result: CommandResult }> {
    const id = await send(given);
    return { id, result: await resultOf(db, id, timeoutMs, given.signal) };
  }

  /** Fetches one range of a file and forgets the command, whose result is large. */
  async function chunkOf(given: TrainerCall, start: number, end: number) {
    const headers = { ...given.headers, range: `bytes=${start}-${end}` };
    const { id, result } = await call({ ...given, headers }, CHUNK_TIMEOUT_MS);
    await forget(id);
    const { status, body } = result;
    if (status !== 200 && status !== 206) throw refusalOf(status, jsonOf(body), "the agent's key");
    const replyHeaders = lowerCased(result.headers);
    const total = Number(/\/(\d+)$/.exec(replyHeaders["content-range"] ?? "")?.[1] ?? Number.NaN);
    return { status, headers: replyHeaders, bytes: Buffer.from(typeof body === "string" ? body : "", "base64"), total };
  }

  return {
    trainerId,
    answersWhole: true,

    async request(given) {
      const { result } = await call(given, given.timeoutMs ?? TIMEOUT_MS);
      const { status, headers, body } = result;
      const json = jsonOf(body);
      if (status < 200 || status > 299) throw refusalOf(status, json, "the agent's key");
      return { status, headers: lowerCased(headers), json };
    },

    async download(given) {
      const asked = /^bytes=(\d+)-(\d*)$/.exec(given.headers?.range ?? "");
      const start = Number(asked?.[1] ?? 0);
      const last = asked?.[2] ? Number(asked[2]) : Number.MAX_SAFE_INTEGER;
      const first = await chunkOf(given, start, Math.min(last, start + CHUNK_BYTES - 1));
      const total = Number.isNaN(first.total) ? first.bytes.length : first.total;
      const end = Math.min(last, total - 1);
      async function* body() {
        yield first.bytes;
        for (let at = start + first.bytes.length; at <= end; ) {
          const { bytes } = await chunkOf(given, at, Math.min(end, at + CHUNK_BYTES - 1));
          if (bytes.length === 0) throw new TrainerUnreachable("The trainer sent an empty part of a file.");
          yield bytes;
          at += bytes.length;
        }
      }
      const headers = { ...first.headers, "content-length": String(end - start + 1) };
      if (!asked) return { status: 200, headers, body: body() };
      return { status: 206, headers: { ...headers, "content-range": `bytes ${start}-${end}/${total}` }, body: body() };
    },

    async stream(given) {
      const id = await send(given);
      // The command contains text of a conversation, so it is deleted as soon as nobody is waiting for its result.
      const { status, headers, body } = await resultOf(
        db,
        id,
        given.timeoutMs ?? ANSWER_TIMEOUT_MS,
        given.signal,
      ).finally(() => forget(id));
      if (status < 200 || status > 299) throw refusalOf(status, jsonOf(body), "the agent's key");
      const text = typeof body === "string" ? body : JSON.stringify(body ?? null);
      async function* whole() {
        yield Buffer.from(text);
      }
      return { status, headers: lowerCased(headers), body: whole() };
    },

    // An agent fetches the manifests of its jobs and commands itself when it needs them.
    async sendManifest() {},
  };
}

/** How long a result is available, and how long a command may wait for its result. */
const FORGET_MS = 3_600_000;

export const forgetOldCommands = (db: Db) =>
  db
    .delete(trainerCommands)
    .where(
      sql`coalesce(${trainerCommands.doneAt}, ${trainerCommands.createdAt}) < (extract(epoch from clock_timestamp()) * 1000)::bigint - ${FORGET_MS}::bigint`,
    );
