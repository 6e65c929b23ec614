import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { db } from "@/db/pool";
import { jobHealth } from "@/server/jobs/health";
import { logger } from "@/server/platform/log";
import { loggable } from "@/server/platform/loggable";
import { projectionLag } from "@/server/services/telemetry";

/** One part of the installation. `not_configured` is a choice and keeps nothing from being ready. */
export type Check = { status: "ok" | "failing" | "not_configured"; reason: string };

/** Whoever asks has a deadline of their own, and a database that hangs should not be what passes it. */
const CHECK_MS = 3000;
/** A new batch is readable within two seconds; this late, its projector stands still. */
const PROJECTION_LATE_MS = 30_000;
/** Events are taken at once; runs may wait for their turn behind a limit, so they get longer. */
const EVENTS_LATE_MS = 60_000;
const RUNS_LATE_MS = 5 * 60_000;

const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;

const inTime = <T>(work: Promise<T>): Promise<T> =>
  Promise.race([
    work,
    new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error("no answer in time")), CHECK_MS).unref();
    }),
  ]);

/** A check that fails says so in words of ours: what the database said may hold names and addresses. */
async function check(what: string, work: () => Promise<Check>): Promise<Check> {
  try {
    return await inTime(work());
  } catch (error) {
    logger("readyz").warn({ err: loggable(error) }, `${what} could not be checked.`);
    return { status: "failing", reason: `${what} could not be asked; the server's log says why.` };
  }
}

const database = (on: Db) =>
  check("The database", async () => {
    await on.execute(sql`select 1`);
    return { status: "ok", reason: "The database answers." };
  });

const jobs = (on: Db) =>
  check("The job engine", async () => {
    const { oldestDueMs, oldestEventMs, waitingEvents } = await jobHealth(on);
    if (oldestEventMs !== null && oldestEventMs > EVENTS_LATE_MS) {
      return { status: "failing", reason: `${waitingEvents} events wait, the oldest for ${seconds(oldestEventMs)}.` };
    }
    if (oldestDueMs !== null && oldestDueMs > RUNS_LATE_MS) {
      return { status: "failing", reason: `A run has been due for ${seconds(oldestDueMs)} and nothing took it.` };
    }
    return { status: "ok", reason: "Nothing waits longer than it should." };
  });

const projector = (on: Db) =>
  check("The projector", async () => {
    const lag = await projectionLag(on);
    return lag > PROJECTION_LATE_MS
      ? { status: "failing", reason: `Accepted spans have waited ${seconds(lag)} to become conversations.` }
      : { status: "ok", reason: "Accepted spans become conversations in time." };
  });

const trainer: Check = {
  status: "not_configured",
  reason: "No trainer is attached: fine-tuning answers 501, everything else works.",
};

/** Whether work that arrives now would be done, part by part and with a reason each: 200, or 503. */
export async function readiness(on: Db = db()): Promise<Response> {
  const [one, two, three] = await Promise.all([database(on), jobs(on), projector(on)]);
  const checks = { database: one, jobs: two, projector: three, trainer } satisfies Record<string, Check>;
  const ready = Object.values(checks).every(({ status }) => status !== "failing");
  return Response.json(
    { status: ready ? "ready" : "not_ready", checks },
    { status: ready ? 200 : 503, headers: { "cache-control": "no-store", ...(ready ? {} : { "retry-after": "5" }) } },
  );
}
