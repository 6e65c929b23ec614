import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "postgres";
import { webProcessOf } from "../../testbed/product/process-tree";
import { cpuOf } from "./cpu";
import { bound } from "./machine";
import { memoryOf } from "./memory";

const IDLE_MS = 10_000;
/** For connections and caches to settle after the last request. */
const SETTLE_MS = 40_000;
/** V8 returns what nobody uses once a process has been idle for 8 s, and later where others are not: until memory stays. */
const STAYS_MS = 20_000;
const STAYS_MIB = 5;
const SETTLE_MAX_MS = 180_000;

/** What an idle product uses: cores busy, and of the web process MiB, open files and sockets; connections of the database. */
type Idle = { cores: number; mib: number; files: number; connections: number };

/** Waits until the product whose first process is `pid` has settled, and returns what it uses then. */
export async function idle(pid: number, sql: Sql): Promise<Idle> {
  const web = webProcessOf(pid)!;
  await sleep(SETTLE_MS);
  await untilMemoryStays(web);
  const before = cpuOf(pid).web;
  await sleep(IDLE_MS);
  const [connections] =
    await sql`select count(*)::int as count from pg_stat_activity where datname = current_database()`;
  return {
    cores: (cpuOf(pid).web - before) / (IDLE_MS / 1000),
    mib: memoryOf(web).own,
    files: readdirSync(`/proc/${web}/fd`).length,
    connections: Number(connections?.count),
  };
}

async function untilMemoryStays(web: number) {
  const begun = performance.now();
  let [lowest, since] = [memoryOf(web).own, begun];
  while (performance.now() - since < STAYS_MS && performance.now() - begun < SETTLE_MAX_MS) {
    await sleep(1_000);
    const now = memoryOf(web).own;
    if (now < lowest - STAYS_MIB) [lowest, since] = [now, performance.now()];
  }
}

/** Holds what the product uses afterwards against what it used before. */
export function boundIdle(before: Idle, after: Idle) {
  console.log(`\nidle before: ${JSON.stringify(before)}\nidle after:  ${JSON.stringify(after)}\n`);
  bound(
    "idle processor time",
    after.cores <= before.cores + 0.02,
    `${(before.cores * 100).toFixed(1)} → ${(after.cores * 100).toFixed(1)} % of a core`,
  );
  bound(
    "idle memory of the web process",
    after.mib <= before.mib * 1.5 + 100,
    `${Math.round(before.mib)} → ${Math.round(after.mib)} MiB`,
  );
  bound("open files and sockets", after.files <= before.files + 20, `${before.files} → ${after.files}`);
  bound(
    "connections of the database",
    after.connections <= before.connections + 5,
    `${before.connections} → ${after.connections}`,
  );
}
