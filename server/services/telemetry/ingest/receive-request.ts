import { availableParallelism } from "node:os";
import path from "node:path";
import { Piscina } from "piscina";
import { env } from "@/env";
import { ServiceError } from "@/server/platform/errors";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import type { ContentId } from "../content/content-ids";
import { unpackTexts } from "../content/packed-texts";
import { MalformedBody } from "../otlp";
import { READERS, type ReadOutcome, type ReadTask, type Signals } from "./reading-thread";

/** A shorter body is read within a millisecond, about the time it takes to pass a longer one to a thread and back. */
const SHORT_BYTES = 64 * 1024;

/** The database, the worker and the pages need processors too. */
const THREADS_MAX = Math.max(1, Math.min(4, availableParallelism() - 1));

/** Time for a new thread to start. */
const RETRY_SECONDS = 5;

// Next loads this module more than once: all copies share the threads.
const kept = globalThis as { whetstoneReadingThreads?: Piscina };

/** Built by `scripts/lib/building`, so it exists only after a build. */
const threads = () =>
  (kept.whetstoneReadingThreads ??= startThreads(path.join(process.cwd(), "dist/reading-thread.js")));

/** Starts threads with this entry point, each of which is replaced when it ends. */
export function startThreads(filename: string): Piscina {
  const pool = new Piscina({
    filename,
    minThreads: 1,
    maxThreads: THREADS_MAX,
    idleTimeout: 60_000,
    // Pages have priority: nobody notices if a batch waits a moment longer.
    niceIncrement: 5,
  });
  // Without a listener, a thread that ends without a request would end the process.
  pool.on("error", (error) => logger("ingest").error({ err: loggable(error) }, "A reading thread ended."));
  return pool;
}

/**
 * Decodes, masks and divides a request. Long ones are read in another thread: an agent's history of half a megabyte takes ten
 * milliseconds, a batch of 16 MiB half a second, and pages are served meanwhile. Throws `invalid` if the body cannot be read.
 */
export async function readRequest<Signal extends keyof Signals>(task: ReadTask<Signal>): Promise<Signals[Signal]> {
  const isShort = task.request.body.byteLength < SHORT_BYTES;
  const isHere = isShort || env().NODE_ENV !== "production";
  return (isHere ? readHere(task) : await readInThread(threads(), task)) as Signals[Signal];
}

function readHere({ signal, request, preparation }: ReadTask<keyof Signals>) {
  try {
    return READERS[signal](request, preparation);
  } catch (error) {
    if (error instanceof MalformedBody) throw new ServiceError("invalid", error.message);
    throw error;
  }
}

/** Reads a request in one of these threads. If the thread ends, the client may send the request again. */
export async function readInThread(pool: Piscina, task: ReadTask<keyof Signals>) {
  const read = async (withAllTexts: boolean) => {
    const outcome: ReadOutcome<keyof Signals> = await pool.run({ ...task, withAllTexts }).catch((cause: unknown) => {
      throw new ServiceError("unavailable", `The request was not read. Try again in ${RETRY_SECONDS} s.`, {
        retryAfter: RETRY_SECONDS,
        cause,
      });
    });
    if ("malformed" in outcome) throw new ServiceError("invalid", outcome.malformed);
    if ("error" in outcome) throw outcome.error;
    return outcome.read;
  };
  const batch = await read(false);
  const { chunks, parts } = batch.content;
  const textsOf = async (ids: readonly ContentId[]) => {
    const texts = unpackTexts(parts);
    const isComplete = ids.every((id) => texts.has(id));
    return isComplete ? texts : unpackTexts((await read(true)).content.parts);
  };
  return { ...batch, content: { chunks, textsOf } };
}
