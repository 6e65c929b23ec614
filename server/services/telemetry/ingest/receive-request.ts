import path from "node:path";
import { Piscina } from "piscina";
import { env } from "@/env";
import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import { fromThreadError } from "@/server/platform/processes/thread-error";
import { type MaskedSpan, type MaskingTask, maskBodies } from "./mask-traces";
import { maskingOf } from "./masking-setting";
import { type ReceivingOutcome, type ReceivingTask, threadCount } from "./receiving-thread";
import { type StoredRequest, storeRequest, type TelemetryRequest } from "./store-request";

/** Time for a new thread to start. */
const RETRY_SECONDS = 5;

/** No bound: a request that waits for the database, or for its project's other requests, must not keep others waiting. */
const REQUESTS_PER_THREAD = 1_000_000;

// Next loads this module more than once: all copies share the threads.
const kept = globalThis as { whetstoneReceivingThreads?: Piscina };

/** Built by `scripts/lib/building`, so it exists only after a build. */
const threads = () =>
  (kept.whetstoneReceivingThreads ??= startThreads(
    path.join(process.cwd(), "dist/receiving-thread.js"),
    threadCount(),
  ));

/** Starts threads with this entry point, each of which is replaced when it ends. */
export function startThreads(filename: string, count: number): Piscina {
  const pool = new Piscina({
    filename,
    minThreads: count,
    maxThreads: count,
    concurrentTasksPerWorker: REQUESTS_PER_THREAD,
    // Otherwise a thread without a request would be blocked, and would not notice that its connections were closed.
    atomics: "disabled",
    // Pages have priority: nobody notices if a batch waits a moment longer.
    niceIncrement: 5,
  });
  // Without a listener, a thread that ends without a request would end the process.
  pool.on("error", (error) => logger("ingest").error({ err: loggable(error) }, "A receiving thread ended."));
  return pool;
}

/**
 * Reads and stores a request in another thread, so that pages are served meanwhile: an agent's history of half a megabyte takes
 * more than ten milliseconds, a batch of 16 MiB half a second. Throws `invalid` if the body cannot be read.
 */
export const receiveRequest = (ctx: Ctx, request: TelemetryRequest): Promise<StoredRequest> =>
  env().NODE_ENV === "production" ? receiveInThread(threads(), ctx, request) : storeRequest(ctx, request);

/** Stores spans that this process has made itself, in OTLP's JSON, as if they had been sent. */
export const receiveOwnTraces = async (ctx: Ctx, body: Uint8Array): Promise<StoredRequest> =>
  receiveRequest(ctx, { signal: "traces", body, encoding: "json", masking: await maskingOf(ctx) });

/** Masks such spans, for what is written elsewhere before they are stored. Returns those of each body. */
export async function maskOwnTraces(ctx: Ctx, bodies: readonly Uint8Array[]): Promise<MaskedSpan[][]> {
  const task: MaskingTask = { bodies, masking: await maskingOf(ctx) };
  return env().NODE_ENV === "production" ? threads().run(task, { name: "maskInThread" }) : maskBodies(task);
}

/** Stores a request in one of these threads. If the thread ends, the client may send the request again. */
export async function receiveInThread(
  pool: Piscina,
  { projectId, actor }: ReceivingTask["caller"],
  request: TelemetryRequest,
): Promise<StoredRequest> {
  const task: ReceivingTask = { caller: { projectId, actor }, request };
  const outcome: ReceivingOutcome = await pool.run(task).catch((cause: unknown) => {
    throw new ServiceError(
      "unavailable",
      `The request may not have been stored. Send it again in ${RETRY_SECONDS} s.`,
      {
        retryAfter: RETRY_SECONDS,
        cause,
      },
    );
  });
  if ("failed" in outcome) throw fromThreadError(outcome.failed);
  return outcome.stored;
}
