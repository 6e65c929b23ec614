import { closePool, db, openPool } from "@/db/pool";
import { env } from "@/env";
import { inngest } from "@/inngest/client";
import { functions } from "@/inngest/functions";
import {
  assertEngineConfiguration,
  type Engine,
  inngestServer,
  startEngine,
  startInngestEngine,
} from "@/server/engine";
import { workerStarted } from "@/server/platform/jobs/events";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import { emit } from "@/server/platform/outbox";
import { EMBEDDED, recordEngine } from "@/server/services/background-jobs";
import { runProjector } from "@/server/services/telemetry";
import { yieldToRequests } from "./yield-to-requests";

/** Nobody waits for background work; a statement that takes longer than this has hit a fault. */
const STATEMENT_SECONDS = 300;
/** The `application_name` of the worker's connections. */
const NAME = "whetstone worker";
/** Total time for a clean stop; the supervisor may kill us soon after. */
const STOP_WITHIN_MS = 5000;

/** The worker process: background jobs and the telemetry projector, until told to stop or orphaned. */
async function main() {
  assertEngineConfiguration(env());
  openPool({ statementSeconds: STATEMENT_SECONDS, name: NAME });
  const log = logger("worker");
  const stop = new AbortController();
  const listenSignal = new Promise<string>((resolve) => {
    process.once("SIGTERM", () => resolve("SIGTERM"));
    process.once("SIGINT", () => resolve("SIGINT"));
    // Only a child with an IPC channel can lose it.
    process.once("disconnect", () => resolve("the parent process is gone"));
  });

  void yieldToRequests({ db: db(), name: NAME, signal: stop.signal });
  const projector = runProjector({ signal: stop.signal });
  const broken = projector.then(() => "the projector ended");
  const jobs = await startJobs();
  await emit(db(), workerStarted.create({}));
  process.send?.({ type: "ready" });
  log.info(
    `Running ${functions.length} background functions (${inngestServer(env()) ? "Inngest server" : "embedded"}).`,
  );

  const why = await Promise.race([listenSignal, broken]);
  log.info(`Stopping: ${why}.`);
  setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
  stop.abort();
  await Promise.all([jobs.stop(), projector]);
  await closePool();
}

async function startJobs(): Promise<Engine> {
  const common = { db: db(), client: inngest, functions };
  const server = inngestServer(env());
  if (!server) {
    await recordEngine(db(), EMBEDDED);
    return startEngine(common);
  }
  const origin = env().PUBLIC_URL ?? `http://${env().HOST}:${env().PORT}`;
  const engine = await startInngestEngine({ ...common, origin });
  await recordEngine(db(), new URL(server.baseUrl).origin);
  return engine;
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    const safe = loggable(error);
    console.error(safe instanceof Error ? safe.message : safe);
    process.exit(1);
  },
);
