import path from "node:path";
import { MessageChannel } from "node:worker_threads";
import { Piscina } from "piscina";
import { env } from "@/env";
import { ServiceError } from "../errors";
import { logger } from "../logging/log";
import { loggable } from "../logging/loggable";
import { fromThreadError } from "../thread-error";
import type { Outcome, ReadReply, ReadRequest, Sent, Source } from "./in-thread";

/** Work on what people send. One project has one of these threads at a time, so that it cannot occupy them all. */
const THREADS = 2;
/** Tasks of one project that may wait for its thread. */
const WAITING_MAX = 16;
const MIB = 1024 * 1024;

/**
 * A kind of work that is done in threads of its own. `entry`: the program in `dist/` whose default export is `inThread(work)`.
 * `limitMs` is the time of one task from when its thread begins; `heapMib` is what its objects may take. `exceeded` makes the
 * error for a task that passed a limit, which is described in words ("took longer than 2 s").
 */
export type BoundedWork<Task, Result> = {
  entry: string;
  work: (task: Task, source?: Source) => Promise<Result>;
  limitMs: number;
  heapMib: number;
  exceeded: (what: string) => ServiceError;
};

// Next loads this module more than once: all copies share the threads.
const kept = globalThis as { whetstoneBoundedThreads?: Map<string, Piscina> };

/** Starts threads with this program. A thread that passes a limit is ended and replaced. */
export function startBoundedThreads(filename: string, heapMib: number): Piscina {
  const pool = new Piscina({
    filename,
    // As many as at most: with fewer, nobody serves the tasks that wait for a thread that was ended.
    minThreads: THREADS,
    maxThreads: THREADS,
    resourceLimits: { maxOldGenerationSizeMb: heapMib },
    niceIncrement: 5,
  });
  // Without a listener, a thread that ends without a task would end the process.
  pool.on("error", (error) => logger("threads").error({ err: loggable(error) }, "A thread ended."));
  return pool;
}

function poolOf({ entry, heapMib }: Pick<BoundedWork<unknown, unknown>, "entry" | "heapMib">): Piscina {
  kept.whetstoneBoundedThreads ??= new Map();
  const pools = kept.whetstoneBoundedThreads;
  const pool = pools.get(entry) ?? startBoundedThreads(path.join(process.cwd(), "dist", `${entry}.js`), heapMib);
  pools.set(entry, pool);
  return pool;
}

/** The last task of each project, and how many wait for it. */
const queues = new Map<string, { last: Promise<unknown>; waiting: number }>();

/** Runs a project's tasks one after the other. */
async function inTurn<Result>(key: string, run: () => Promise<Result>): Promise<Result> {
  const queue = queues.get(key) ?? { last: Promise.resolve(), waiting: 0 };
  if (queue.waiting >= WAITING_MAX) {
    throw new ServiceError("rate_limited", "Too many requests of this kind are waiting already.", { retryAfter: 5 });
  }
  queue.waiting += 1;
  const result = queue.last.then(run);
  queue.last = result.catch(() => {});
  queues.set(key, queue);
  return result.finally(() => {
    queue.waiting -= 1;
    if (queue.waiting === 0) queues.delete(key);
  });
}

/**
 * Returns a function that does a kind of work in a thread: whatever a template or a file makes of it, requests are answered
 * meanwhile, and a task that takes too long or too much memory ends alone. In development it runs in this process.
 */
export function boundedThreads<Task, Result>(kind: BoundedWork<Task, Result>) {
  return (projectId: string, task: Task, source?: Source): Promise<Result> =>
    env().NODE_ENV === "production"
      ? inTurn(`${kind.entry} ${projectId}`, () => runBounded(poolOf(kind), kind, task, source))
      : kind.work(task, source);
}

/** Runs one task in one of these threads, within its limits. */
export async function runBounded<Task, Result>(
  pool: Piscina,
  { limitMs, heapMib, exceeded }: Pick<BoundedWork<Task, Result>, "limitMs" | "heapMib" | "exceeded">,
  task: Task,
  source?: Source,
): Promise<Result> {
  const { port1: near, port2: far } = new MessageChannel();
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  near.on("message", (message: "begun" | ReadRequest) => {
    if (message === "begun") timer = setTimeout(() => late.abort(), limitMs);
    else void reply(source, message).then((bytes) => near.postMessage(bytes));
  });
  const sent: Sent<Task> = { task, port: far, size: source?.size };
  try {
    const outcome: Outcome<Result> = await pool.run(sent, { transferList: [far], signal: late.signal });
    if ("failed" in outcome) throw fromThreadError(outcome.failed);
    return outcome.done;
  } catch (error) {
    if (late.signal.aborted) throw exceeded(`took longer than ${limitMs / 1000} s`);
    if ((error as { code?: unknown }).code === "ERR_WORKER_OUT_OF_MEMORY") {
      throw exceeded(`needs more than ${heapMib} MiB of memory`);
    }
    throw error;
  } finally {
    clearTimeout(timer);
    near.close();
  }
}

/** The most bytes that a thread gets at once. */
const READ_MAX = 64 * MIB;

async function reply(source: Source | undefined, { id, start, end }: ReadRequest): Promise<ReadReply> {
  try {
    if (!source || end - start > READ_MAX) throw new Error("The part cannot be read.");
    return { id, bytes: await source.read(start, end) };
  } catch (error) {
    return { id, failed: error instanceof Error ? error.message : String(error) };
  }
}
