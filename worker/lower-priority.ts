import { readFileSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { logger } from "@/server/platform/log";

/** Of 19: where cores are short, what people wait for comes first. */
const NICENESS = 10;
/** Connections are opened when there is much to do, and closed again. */
const LOOK_EVERY_MS = 5000;

/**
 * Gives way to the web process, until told to stop: this process, and where the database runs on the same machine, its
 * processes that work for this one. Most of background work is theirs. Where that is forbidden, it goes without.
 */
export async function lowerPriority({ db, name, signal }: { db: Db; name: string; signal: AbortSignal }) {
  try {
    lower(process.pid);
  } catch (error) {
    logger("worker").warn({ err: error }, "Background work keeps the priority of the rest.");
    return;
  }
  while (!signal.aborted) {
    // A database that is away has nothing to yield, and is told of elsewhere.
    await lowerBackendPriority(db, name).catch(() => {});
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
  }
}

/**
 * Lowers the priority of the database's processes behind the connections of this `application_name`. Only of one that says
 * itself that it is PostgreSQL's and serves that very connection: elsewhere the same number is somebody else's process.
 */
export async function lowerBackendPriority(db: Db, name: string) {
  const backends = await db.execute<{ pid: number; port: number }>(sql`
    select pid, client_port as port from pg_stat_activity where application_name = ${name} and client_port > 0`);
  for (const { pid, port } of backends) {
    try {
      const title = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      if (title.startsWith("postgres: ") && title.includes(`(${port})`)) lower(pid);
    } catch {
      // Not here, not ours, or gone.
    }
  }
}

function lower(pid: number) {
  if (getPriority(pid) < NICENESS) setPriority(pid, NICENESS);
}
