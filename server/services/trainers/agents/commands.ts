import { and, eq, or, sql } from "drizzle-orm";
import { z } from "zod";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { ringKeys, trainerCommands } from "@/db/schema";
import { transact } from "@/server/platform/database/transact";
import { newId } from "@/server/platform/ids";
import { parseExactJson } from "@/server/platform/json/exact-json";
import { type Envelope, type SecretLocation, sealSecret, unsealSecret } from "@/server/platform/key-ring";
import { type TrainerCall, TrainerUnreachable } from "../trainer-client";
import { announce, followNews } from "./news";

/** Polling interval for what another process has received; short, because a user may be waiting. */
const LOOK_MS = 100;
/** An agent sends at least an empty part of an answer every ten seconds. */
const SILENCE_MS = 45_000;

/** An agent's response. A body that is not JSON is base64. */
export const commandResult = z.object({
  status: z.int().min(100).max(599),
  headers: z.record(z.string().max(200), z.string().max(8000)).default({}),
  body: z.unknown().optional(),
});
export type CommandResult = z.infer<typeof commandResult>;

type Payload = Record<string, unknown>;

/** Where a command has its secrets, encrypted, by their names in its body. */
const SEALED = { secret: "sealedSecret", download_secret: "sealedDownloadSecret" } as const;
type SecretName = keyof typeof SEALED;
const SECRET_NAMES = Object.keys(SEALED) as SecretName[];
const SEALED_KEYS = sql.raw(`array[${Object.values(SEALED).map((key) => `'${key}'`)}]`);

/** Returns the payload of a command that no longer needs its secrets. */
export const withoutSecrets = () => sql`${trainerCommands.payload} - ${SEALED_KEYS}`;

/** Returns the location of a command's secret, for the key ring. */
const locationOf = (projectId: string, id: string, name: SecretName): SecretLocation => ({
  projectId,
  id,
  field: `trainer_commands.${name}`,
});

/** Returns the part of a command that the agent receives, with its body as it was given. The project stays here. */
function withoutOurs({
  projectId: _,
  sealedSecret: __,
  sealedDownloadSecret: ___,
  text,
  ...payload
}: Payload): Payload {
  return typeof text === "string" ? { ...payload, body: parseExactJson(text) } : payload;
}

/** Returns what the agent receives of a command; `null` if its secret can no longer be decrypted: the caller will retry. */
export async function sentPayload(db: Db, id: string, payload: Payload): Promise<Payload | null> {
  const sent = withoutOurs(payload);
  for (const name of SECRET_NAMES) {
    const envelope = payload[SEALED[name]] as Envelope | undefined;
    if (!envelope) continue;
    const [ring] = await db
      .select({ wrapped: ringKeys.wrapped })
      .from(ringKeys)
      .where(eq(ringKeys.id, envelope.ringKey));
    if (!ring) return null;
    try {
      const location = locationOf(String(payload.projectId), id, name);
      const secret = unsealSecret(location, { ...envelope, wrapped: ring.wrapped });
      sent.body = { ...(sent.body as Payload), [name]: secret };
    } catch {
      return null;
    }
  }
  return sent;
}

/** Stores a call for an agent. `streams`: its answer is sent in parts as it arrives. */
export async function enqueue(db: Db, trainerId: string, call: TrainerCall & { streams?: boolean }) {
  const { method, path, query, headers, json, projectId, secret, downloadSecret, streams } = call;
  const id = newId("cmd");
  const payload = {
    projectId,
    method,
    path: `/v1${path}`,
    query: query ?? {},
    headers: headers ?? {},
    // As text, because Postgres would reorder the keys of an object and rewrite its numbers.
    text: JSON.stringify(json ?? null),
    ...(streams ? { streams } : {}),
  };
  const store = (on: Db, more: Payload) =>
    on.insert(trainerCommands).values({ id, trainerId, state: "queued", payload: { ...payload, ...more } });
  if (secret === undefined && downloadSecret === undefined) await store(db, {});
  else {
    await transact(db, async (tx) => {
      const seal = async (name: SecretName, given: string | undefined) =>
        given === undefined ? {} : { [SEALED[name]]: await sealSecret(tx, locationOf(projectId, id, name), given) };
      await store(tx, { ...(await seal("secret", secret)), ...(await seal("download_secret", downloadSecret)) });
    });
  }
  announce(trainerId);
  return id;
}

export const forgetCommand = (db: Db, id: string) => db.delete(trainerCommands).where(eq(trainerCommands.id, id));

/** Deletes the calls of a deleted project, with the text in them; one that was not fetched is not made any more. */
export const forgetCommandsOf = (db: Db, projectId: string) =>
  db.delete(trainerCommands).where(sql`${trainerCommands.payload} ->> 'projectId' = ${projectId}`);

const late = (timeoutMs: number) =>
  new TrainerUnreachable(`The trainer did not reply within ${Math.round(timeoutMs / 1000)} s.`);

/** Waits for a command's result. On a timeout, removes the command if the agent has not fetched it or it contains a secret. */
export async function resultOf(db: Db, id: string, timeoutMs: number, signal?: AbortSignal): Promise<CommandResult> {
  const deadline = performance.now() + timeoutMs;
  const news = followNews(id, LOOK_MS);
  try {
    while (performance.now() < deadline && !signal?.aborted) {
      const [row] = await db
        .select({ state: trainerCommands.state, result: trainerCommands.result })
        .from(trainerCommands)
        .where(eq(trainerCommands.id, id));
      if (!row) throw new TrainerUnreachable("The trainer was removed.");
      if (row.state === "done") return commandResult.parse(row.result);
      await news.next();
    }
  } finally {
    news.stop();
  }
  const isOver = or(eq(trainerCommands.state, "queued"), sql`${trainerCommands.payload} ?| ${SEALED_KEYS}`);
  await db.delete(trainerCommands).where(and(eq(trainerCommands.id, id), isOver));
  signal?.throwIfAborted();
  throw late(timeoutMs);
}

type Part = { seq: number; text: string };

/** The parts of a command's answer after one of them, in order. */
const partsAfter = (last: number) => sql<Part[]>`coalesce((
  select json_agg(json_build_object('seq', seq, 'text', text) order by seq) from trainer_command_parts
  where command_id = ${trainerCommands.id} and seq > ${last}), '[]')`;

/** Yields the text of an answer as it arrives, and returns the command's result. The parts are deleted with the command. */
export async function* partsOf(
  db: Db,
  id: string,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal | undefined },
): AsyncGenerator<string, CommandResult> {
  const deadline = performance.now() + timeoutMs;
  const news = followNews(id, LOOK_MS);
  signal?.addEventListener("abort", news.wake);
  try {
    for (let last = 0; ; ) {
      signal?.throwIfAborted();
      const [row] = await db
        .select({
          state: trainerCommands.state,
          result: trainerCommands.result,
          isSilent: sql<boolean>`${trainerCommands.sentAt} < ${NOW} - ${SILENCE_MS}::bigint`,
          parts: partsAfter(last),
        })
        .from(trainerCommands)
        .where(eq(trainerCommands.id, id));
      if (!row) throw new TrainerUnreachable("The trainer was removed.");
      const { parts } = row;
      last = parts.at(-1)?.seq ?? last;
      if (parts.length > 0) {
        news.expectMore();
        yield parts.map(({ text }) => text).join("");
      }
      if (row.state === "done") return commandResult.parse(row.result);
      // Before the first token, the command is handed out again; after it, another answer could not continue this one.
      if (last > 0 && row.isSilent) throw new TrainerUnreachable("The trainer went silent during its answer.");
      if (performance.now() >= deadline) throw late(timeoutMs);
      await news.next();
    }
  } finally {
    signal?.removeEventListener("abort", news.wake);
    news.stop();
  }
}

/** How long a result is available, and how long a command may wait for its result. */
const FORGET_MS = 3_600_000;

export const forgetOldCommands = (db: Db) =>
  db
    .delete(trainerCommands)
    .where(
      sql`coalesce(${trainerCommands.doneAt}, ${trainerCommands.createdAt}) < (extract(epoch from clock_timestamp()) * 1000)::bigint - ${FORGET_MS}::bigint`,
    );
