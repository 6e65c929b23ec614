import type { Db } from "@/db/client";
import { refuseInsideTransaction } from "@/server/platform/database/inside-transaction";
import { finishWithoutCaller } from "@/server/platform/event-loop/unfinished-work";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import { type TrainerCall, type TrainerClient, TrainerUnreachable } from "../trainer-client";
import { refusalOf, trainerProblemOf } from "../trainer-problem";
import { type CommandResult, enqueue, forgetCommand, partsOf, resultOf } from "./commands";

const TIMEOUT_MS = 30_000;
/** Bytes of a file per command: its result is stored until it is read. */
export const CHUNK_BYTES = 8 * 1024 * 1024;
const CHUNK_TIMEOUT_MS = 120_000;
/** For a model's answer: on a slow machine, reading a long prompt takes minutes before the first token. */
const ANSWER_TIMEOUT_MS = 1_800_000;

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

const refused = (status: number, body: unknown) => refusalOf(status, jsonOf(body), "the agent's key");

const brokenOff = ({ body }: CommandResult) =>
  new TrainerUnreachable(trainerProblemOf(jsonOf(body))?.message ?? "The answer ended early.");

/** Returns a result's body. What is not JSON is base64, such as the streamed answer that an older agent sends as a whole. */
function bytesOf({ "content-type": type = "application/json" }: Record<string, string>, body: unknown): Buffer {
  if (typeof body !== "string") return Buffer.from(JSON.stringify(body ?? null));
  return Buffer.from(body, type.startsWith("application/json") ? "utf8" : "base64");
}

/** It is deleted with other old ones within hours. */
const notForgotten = (error: unknown) =>
  logger("trainers").warn({ err: loggable(error) }, "A command of a trainer could not be deleted.");

async function* whole(bytes: Uint8Array) {
  yield bytes;
}

type Attached = { db: Db; trainerId: string; isOnline: boolean };

/** Returns the client of a trainer that fetches our calls itself. */
export function agentTrainer({ db, trainerId, isOnline }: Attached): TrainerClient {
  async function send(given: TrainerCall, streams = false): Promise<string> {
    refuseInsideTransaction("A call to a trainer");
    if (!isOnline) throw new TrainerUnreachable("The trainer has not connected recently.");
    return enqueue(db, trainerId, { ...given, streams });
  }

  async function call(given: TrainerCall, timeoutMs: number): Promise<{ id: string; result: CommandResult }> {
    const id = await send(given);
    return { id, result: await resultOf(db, id, timeoutMs, given.signal) };
  }

  /** Fetches one range of a file and forgets the command, whose result is large. */
  async function chunkOf(given: TrainerCall, start: number, end: number) {
    const headers = { ...given.headers, range: `bytes=${start}-${end}` };
    const { id, result } = await call({ ...given, headers }, CHUNK_TIMEOUT_MS);
    await forgetCommand(db, id);
    const { status, body } = result;
    if (status !== 200 && status !== 206) throw refused(status, body);
    const replyHeaders = lowerCased(result.headers);
    const total = Number(/\/(\d+)$/.exec(replyHeaders["content-range"] ?? "")?.[1] ?? Number.NaN);
    return { status, headers: replyHeaders, bytes: Buffer.from(typeof body === "string" ? body : "", "base64"), total };
  }

  return {
    trainerId,

    async request(given) {
      const { result } = await call(given, given.timeoutMs ?? TIMEOUT_MS);
      const { status, headers, body } = result;
      const json = jsonOf(body);
      if (status < 200 || status > 299) throw refused(status, json);
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
      const { signal, timeoutMs = ANSWER_TIMEOUT_MS } = given;
      const id = await send(given, true);
      // The command contains text of a conversation, so it is deleted as soon as nobody is waiting for its answer; one that has
      // arrived does not wait for that.
      const forgetArrived = () => finishWithoutCaller(forgetCommand(db, id).then(() => {}, notForgotten));
      const parts = partsOf(db, id, { timeoutMs, signal });
      const first = await parts.next().catch(async (error) => {
        await forgetCommand(db, id);
        throw error;
      });
      if (first.done) {
        await forgetArrived();
        const { status, headers, body } = first.value;
        if (status < 200 || status > 299) throw refused(status, body);
        return { status, headers: lowerCased(headers), body: whole(bytesOf(lowerCased(headers), body)) };
      }
      async function* arriving(text: string) {
        let hasArrived = false;
        try {
          yield Buffer.from(text);
          for (;;) {
            const next = await parts.next();
            if (!next.done) yield Buffer.from(next.value);
            else if (next.value.status > 299) throw brokenOff(next.value);
            else {
              hasArrived = true;
              return;
            }
          }
        } finally {
          await (hasArrived ? forgetArrived() : forgetCommand(db, id));
        }
      }
      return { status: 200, headers: {}, body: arriving(first.value) };
    },

    // An agent fetches the manifests of its jobs and commands itself when it needs them.
    async sendManifest() {},
  };
}
