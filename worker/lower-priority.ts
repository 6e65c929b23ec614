import { readdirSync, readFileSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { logger } from "@/server/platform/logging/log";

/** Out of 19. On a busy machine, interactive requests come first. */
const NICENESS = 10;
/** Connections open under load and close again. */
const LOOK_EVERY_MS = 5000;

/**
 * Lowers the priority of this process and, where the database runs on the same machine, of the backends that serve it, until
 * stopped. Most background work happens in those. Does nothing where the system forbids it.
 */
export async function lowerPriority({ db, name, signal }: { db: Db; name: string; signal: AbortSignal }) {
  try {
    lowerOwnPriority();
  } catch (error) {
    logger("worker").warn({ err: error }, "The priority of background work could not be lowered.");
    return;
  }
  while (!signal.aborted) {
    // An unavailable database has nothing to lower, and is reported elsewhere.
    await lowerBackendPriority(db, name).catch(() => {});
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
  }
}

/**
 * Lowers the priority of all threads of this process. On Linux each has its own, and V8 and Node have started theirs already;
 * elsewhere there is one for the process.
 */
export function lowerOwnPriority() {
  lower(process.pid);
  if (process.platform !== "linux") return;
  for (const thread of readdirSync("/proc/self/task").map(Number)) {
    try {
      lower(thread);
    } catch {
      // It has ended.
    }
  }
}

/**
 * Lowers the priority of the database backends behind connections with this `application_name`. Affects only a process that
 * identifies itself as the PostgreSQL backend of that connection: on another machine the same pid is a different process.
 */
export async function lowerBackendPriority(db: Db, name: string) {
  const backends = await db.execute<{ pid: number; port: number }>(sql`
    select pid, client_port as port from pg_stat_activity where application_name = ${name} and client_port > 0`);
  for (const { pid, port } of backends) {
    try {
      const title = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      if (title.startsWith("postgres: ") && title.includes(`(${port})`)) lower(pid);
    } catch {
      // Not on this machine, not a backend of ours, or gone.
    }
  }
}

function lower(id: number) {
  if (getPriority(id) < NICENESS) setPriority(id, NICENESS);
}
