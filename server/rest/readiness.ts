import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { db } from "@/db/pool";
import { jobHealth } from "@/server/engine/health";
import { FAULT_MESSAGES, faultOf, hasRecentFault } from "@/server/platform/database/database-fault";
import { type EventLoopDelay, eventLoopDelay } from "@/server/platform/event-loop/watch";
import { errorCodes } from "@/server/platform/logging/known-error";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import { projectionHealth } from "@/server/services/telemetry";
import { trainerHealth } from "@/server/services/trainers";

/**
 * The state of one component. `not_configured` is a choice and does not affect readiness; `unknown` could not be checked,
 * usually because another component is failing.
 */
export type Check = { status: "ok" | "failing" | "unknown" | "not_configured"; reason: string };

/** Probes have deadlines of their own; a hanging database must not make us exceed them. */
const CHECK_MS = 3000;
/** A batch normally becomes readable within two seconds; this late, the projector is stuck. */
const PROJECTION_LATE_MS = 30_000;
/** Events are dispatched immediately. Runs may wait behind a concurrency limit, so they get longer. */
const EVENTS_LATE_MS = 60_000;
const RUNS_LATE_MS = 5 * 60_000;

const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;

const inTime = <T>(work: Promise<T>): Promise<T> =>
  Promise.race([
    work,
    new Promise<never>((_, reject) => {
      setTimeout(() => reject(Object.assign(new Error("timed out"), { code: "ETIMEDOUT" })), CHECK_MS).unref();
    }),
  ]);

/** Reports our own messages: those of the database may contain names and addresses. */
async function database(on: Db): Promise<Check> {
  try {
    await inTime(on.execute(sql`select 1`));
    // A read needs no disk space: a full disk is known from failed writes.
    if (hasRecentFault("full")) return { status: "failing", reason: FAULT_MESSAGES.full };
    return { status: "ok", reason: "The database responds." };
  } catch (error) {
    logger("readyz").warn({ err: loggable(error) }, "The database could not be checked.");
    return { status: "failing", reason: FAULT_MESSAGES[faultOf(errorCodes(error)) ?? "away"] };
  }
}

async function jobs(on: Db): Promise<Check> {
  const health = await jobHealth(on);
  const { oldestDueMs, oldestEventMs, waitingEvents } = health;
  /** Late work is a backlog while other work progresses, and a failure when none does. */
  const isStuck = (waitingMs: number | null, lastDoneMs: number | null, lateMs: number) =>
    waitingMs !== null && waitingMs > lateMs && (lastDoneMs === null || lastDoneMs > lateMs);
  if (isStuck(oldestEventMs, health.lastEventTakenMs, EVENTS_LATE_MS)) {
    return {
      status: "failing",
      reason: `${waitingEvents} events are pending, the oldest for ${seconds(oldestEventMs ?? 0)}, and none are being dispatched.`,
    };
  }
  if (isStuck(oldestDueMs, health.lastRunDoneMs, RUNS_LATE_MS)) {
    return {
      status: "failing",
      reason: `A run has been due for ${seconds(oldestDueMs ?? 0)} and none are completing.`,
    };
  }
  if (oldestDueMs !== null && oldestDueMs > RUNS_LATE_MS) {
    return {
      status: "ok",
      reason: `Some runs have been due for up to ${seconds(oldestDueMs)}, but others are completing.`,
    };
  }
  return { status: "ok", reason: "No events or runs are overdue." };
}

async function projector(on: Db): Promise<Check> {
  const { oldestMs, progressedMs, retried, parked } = await projectionHealth(on);
  const late = oldestMs !== null && oldestMs > PROJECTION_LATE_MS;
  if (late && (progressedMs === null || progressedMs > PROJECTION_LATE_MS)) {
    return {
      status: "failing",
      reason: `Accepted spans have been waiting for ${seconds(oldestMs)}, and none are becoming conversations.`,
    };
  }
  const failed = [
    ...(retried > 0 ? [`${retried} could not be rebuilt and will be retried`] : []),
    ...(parked > 0 ? [`${parked} could not be rebuilt and are quarantined (see the log and each project's list)`] : []),
  ];
  const how = late
    ? `Some accepted spans have been waiting for up to ${seconds(oldestMs)}, but others are becoming conversations.`
    : "No accepted spans are overdue.";
  return { status: "ok", reason: failed.length > 0 ? `${how} Of the traces, ${failed.join(", and ")}.` : how };
}

/** Runs a check that queries the database. */
async function part(what: string, work: () => Promise<Check>): Promise<Check> {
  try {
    return await inTime(work());
  } catch (error) {
    logger("readyz").warn({ err: loggable(error) }, `${what} could not be checked.`);
    return { status: "failing", reason: `${what} could not be checked; see the server log.` };
  }
}

/** An unavailable trainer only delays its jobs: it never makes us unready. */
async function trainer(on: Db): Promise<Check> {
  const { attached, online } = await trainerHealth(on);
  if (attached === 0) {
    const reason = "No trainer is attached: fine-tuning returns 501, everything else works.";
    return { status: "not_configured", reason };
  }
  if (online === 0)
    return { status: "failing", reason: "No trainer responds: training jobs wait, everything else works." };
  return { status: "ok", reason: `${online} of ${attached} trainers respond.` };
}

/** A process that replies is not blocked now; that it was only shows why requests waited, and never makes us unready. */
function web(delay: EventLoopDelay | null): Check {
  if (!delay) return { status: "unknown", reason: "The event loop of this process is not measured." };
  const { p99Ms, maxMs } = delay;
  const reason = `In the last two minutes, the event loop was at most ${maxMs} ms late, and ${p99Ms} ms in 99 % of samples.`;
  return { status: "ok", reason };
}

const unknown: Check = { status: "unknown", reason: "Unknown while the database check fails." };

/** Returns whether new work would be done, by component and with a reason each: 200, or 503. */
export async function readiness(on: Db = db()): Promise<Response> {
  const base = await database(on);
  const reachable = base.status === "ok" || hasRecentFault("full");
  const [two, three, four] = reachable
    ? await Promise.all([
        part("The job engine", () => jobs(on)),
        part("The projector", () => projector(on)),
        part("The trainers", () => trainer(on)),
      ])
    : [unknown, unknown, unknown];
  const own = { database: base, jobs: two, projector: three } satisfies Record<string, Check>;
  const delay = eventLoopDelay();
  const checks = { ...own, trainer: four, web: web(delay) };
  const ready = Object.values(own).every(({ status }) => status !== "failing");
  return Response.json(
    { status: ready ? "ready" : "not_ready", checks, eventLoopDelay: delay },
    { status: ready ? 200 : 503, headers: { "cache-control": "no-store", ...(ready ? {} : { "retry-after": "5" }) } },
  );
}
