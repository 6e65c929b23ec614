import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { env } from "@/env";
import { logger } from "@/server/platform/logging/log";
import { lowerOwnPriority, lowerPriority } from "@/server/platform/processes/process-priority";

/** Connections open under load and close again. */
const LOOK_EVERY_MS = 5000;

/**
 * Lowers the priority of this process to `WORKER_NICENESS`, so that on a busy machine requests come first, and, where the
 * database runs on the same machine, of the backends that serve it, until stopped. Most background work happens in those.
 * Where the system forbids a part of it, the others are done.
 */
export async function yieldToRequests({ db, name, signal }: { db: Db; name: string; signal: AbortSignal }) {
  const niceness = env().WORKER_NICENESS;
  if (niceness === 0) return;
  try {
    await lowerOwnPriority(niceness);
  } catch (error) {
    logger("worker").warn({ err: error }, "The priority of background work could not be lowered.");
  }
  while (!signal.aborted) {
    // An unavailable database has nothing to lower, and is reported elsewhere.
    await lowerBackendPriority(db, name, niceness).catch(() => {});
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
  }
}

/**
 * Lowers the priority of the database backends behind connections with this `application_name`. Each leads a session of its
 * own. Affects only a process that identifies itself as the PostgreSQL backend of that connection: on another machine the
 * same pid is a different process.
 */
export async function lowerBackendPriority(db: Db, name: string, niceness: number) {
  const backends = await db.execute<{ pid: number; port: number }>(sql`
    select pid, client_port as port from pg_stat_activity where application_name = ${name} and client_port > 0`);
  for (const { pid, port } of backends) {
    try {
      const title = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      if (title.startsWith("postgres: ") && title.includes(`(${port})`)) await lowerPriority(pid, niceness);
    } catch {
      // Not on this machine, not a backend of ours, or gone.
    }
  }
}
