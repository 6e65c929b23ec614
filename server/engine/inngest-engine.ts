import type { Inngest, InngestFunction } from "inngest";
import type { Db } from "@/db/client";
import { logger } from "@/server/platform/logging/log";
import { assertDrained } from "./drain";
import type { Engine } from "./engine";
import { createOutage } from "./events/outage";
import { postEvents } from "./events/post-events";
import { registerFunctions } from "./functions/register";
import { createPause } from "./runs/pause";
import { reap } from "./runs/reap";

type Options = {
  db: Db;
  /** A client of the Inngest server. */
  client: Inngest.Any;
  functions: readonly InngestFunction.Any[];
  /** The address at which the server reaches this installation. */
  origin: string;
  pollMs?: number;
};

const POLL_MS = 200;
const HOUSEKEEPING_MS = 600_000;

/**
 * Lets an Inngest server run the functions: registers them with it and posts the outbox to it. Throws a message for the operator
 * while the embedded engine has unfinished runs, which no server would run.
 */
export async function startInngestEngine({
  db,
  client,
  functions,
  origin,
  pollMs = POLL_MS,
}: Options): Promise<Engine> {
  await assertDrained(db, client, functions);
  const log = logger("jobs");
  const outage = createOutage("The Inngest server (or the database)", log);
  const pause = createPause();
  const stop = new AbortController();
  let housekeptAt = Number.NEGATIVE_INFINITY;

  async function work() {
    while (!stop.signal.aborted) {
      try {
        if (performance.now() - housekeptAt >= HOUSEKEEPING_MS) {
          await reap(db);
          housekeptAt = performance.now();
        }
        const count = await postEvents(db, client);
        outage.worked();
        if (count === 0) await pause.wait(pollMs);
      } catch (error) {
        await pause.wait(outage.failed(error));
      }
    }
  }
  void registerFunctions({ client, functions, origin, signal: stop.signal }).catch((error: unknown) =>
    log.error({ err: error }, "The functions could not be registered."),
  );
  const working = work();
  return {
    async stop() {
      stop.abort();
      pause.wake();
      await working;
    },
  };
}
