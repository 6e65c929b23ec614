import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { db } from "@/db/pool";
import { jobHealth } from "@/server/engine/health";
import { FAULT_MESSAGES, faultOf, hasRecentFault } from "@/server/platform/database/database-fault";
import { errorCodes } from "@/server/platform/known-error";
import { logger } from "@/server/platform/log";
import { loggable } from "@/server/platform/loggable";
import { projectionHealth } from "@/server/services/telemetry";

/**
 * One part of the installation. `not_configured` is a choice and keeps nothing from being ready; `unknown` could not be
 * asked because another part fails, which is the one that is ill.
 */
export type Check = { status: "ok" | "failing" | "unknown" | "not_configured"; reason: string };

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
      setTimeout(() => reject(Object.assign(new Error("no answer in time"), { code: "ETIMEDOUT" })), CHECK_MS).unref();
    }),
  ]);

/** Told in words of ours: what the database said may hold names and addresses. */
async function database(on: Db): Promise<Check> {
  try {
    await inTime(on.execute(sql`select 1`));
    // A question needs no room: that there is none is known from those who wanted to store something.
    if (hasRecentFault("full")) return { status: "failing", reason: FAULT_MESSAGES.full };
    return { status: "ok", reason: "The database answers." };
  } catch (error) {
    logger("readyz").warn({ err: loggable(error) }, "The database could not be asked.");
    return { status: "failing", reason: FAULT_MESSAGES[faultOf(errorCodes(error)) ?? "away"] };
  }
}

async function jobs(on: Db): Promise<Check> {
  const health = await jobHealth(on);
  const { oldestDueMs, oldestEventMs, waitingEvents } = health;
  /** Late work is a queue while others of its kind get done, and an illness when nothing does. */
  const stands = (waitingMs: number | null, lastDoneMs: number | null, lateMs: number) =>
    waitingMs !== null && waitingMs > lateMs && (lastDoneMs === null || lastDoneMs > lateMs);
  if (stands(oldestEventMs, health.lastEventTakenMs, EVENTS_LATE_MS)) {
    return {
      status: "failing",
      reason: `${waitingEvents} events wait, the oldest for ${seconds(oldestEventMs ?? 0)}, and none is taken.`,
    };
  }
  if (stands(oldestDueMs, health.lastRunDoneMs, RUNS_LATE_MS)) {
    return { status: "failing", reason: `A run has been due for ${seconds(oldestDueMs ?? 0)} and none gets done.` };
  }
  if (oldestDueMs !== null && oldestDueMs > RUNS_LATE_MS) {
    return { status: "ok", reason: `Runs wait up to ${seconds(oldestDueMs)} for their turn; others get done.` };
  }
  return { status: "ok", reason: "Nothing waits longer than it should." };
}

async function projector(on: Db): Promise<Check> {
  const { oldestMs, progressedMs, retried, parked } = await projectionHealth(on);
  const late = oldestMs !== null && oldestMs > PROJECTION_LATE_MS;
  if (late && (progressedMs === null || progressedMs > PROJECTION_LATE_MS)) {
    return {
      status: "failing",
      reason: `Accepted spans have waited ${seconds(oldestMs)} to become conversations, and none do.`,
    };
  }
  const failed = [
    ...(retried > 0 ? [`${retried} that could not be rebuilt will be tried again`] : []),
    ...(parked > 0 ? [`${parked} could not be rebuilt and are parked; the log and each project's list name them`] : []),
  ];
  const how = late
    ? `Accepted spans wait up to ${seconds(oldestMs)} to become conversations; others do.`
    : "Accepted spans become conversations in time.";
  return { status: "ok", reason: failed.length > 0 ? `${how} Of the traces ${failed.join(", and ")}.` : how };
}

/** A part that is asked about in the database. */
async function part(what: string, work: () => Promise<Check>): Promise<Check> {
  try {
    return await inTime(work());
  } catch (error) {
    logger("readyz").warn({ err: loggable(error) }, `${what} could not be asked about.`);
    return { status: "failing", reason: `${what} could not be asked about; the server's log says why.` };
  }
}

const trainer: Check = {
  status: "not_configured",
  reason: "No trainer is attached: fine-tuning answers 501, everything else works.",
};
const unknown: Check = { status: "unknown", reason: "Not known while the database fails." };

/** Whether work that arrives now would be done, part by part and with a reason each: 200, or 503. */
export async function readiness(on: Db = db()): Promise<Response> {
  const base = await database(on);
  const reachable = base.status === "ok" || hasRecentFault("full");
  const [two, three] = reachable
    ? await Promise.all([part("The job engine", () => jobs(on)), part("The projector", () => projector(on))])
    : [unknown, unknown];
  const checks = { database: base, jobs: two, projector: three, trainer } satisfies Record<string, Check>;
  const ready = Object.values(checks).every(({ status }) => status !== "failing");
  return Response.json(
    { status: ready ? "ready" : "not_ready", checks },
    { status: ready ? 200 : 503, headers: { "cache-control": "no-store", ...(ready ? {} : { "retry-after": "5" }) } },
  );
}
