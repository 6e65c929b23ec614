import { once } from "node:events";
import path from "node:path";
import postgres from "postgres";
import { expect, test } from "vitest";
import { db, pool } from "@/db/pool";
import { jobRuns } from "@/db/schema/engine";
import { asOwner } from "@/db/testing/as-owner";
import { bundledProgram } from "@/db/testing/bundled-program";
import { env } from "@/env";
import { emit } from "@/server/platform/outbox";
import { startEngine } from "./engine";
import { crashClient, crashFunctions, LAST_STEP } from "./testing/crash-engine";
import { until } from "./testing/describe-engine";

const RUNS = 20;
const STEPS = 4;

test("a process that is killed in the middle of steps loses no work, and no effect is repeated", async () => {
  const { sql } = pool();
  await asOwner(async (owner) => {
    await owner.execute("create table tries (key text)");
    await owner.execute("create table effects (key text primary key)");
    await owner.execute("grant all on tries, effects to public");
  });
  const count = async () => (await sql`select 1 from effects`).length;
  // Uses its own connection: the pool would close one that idles as long as a slow machine may need here.
  const gate = postgres(env().DATABASE_URL, { max: 1 });
  await gate`select pg_advisory_lock(${LAST_STEP})`;
  const program = await bundledProgram(path.join(import.meta.dirname, "testing/crash-process.ts"));
  const children = await Promise.all([program.start(), program.start()]);
  await program.remove();
  await emit(db(), ...Array.from({ length: RUNS }, (_, n) => ({ name: "go", data: { n } })));

  for (const [index, child] of children.entries()) {
    await until(async () => (await count()) > 10 + index * 15);
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  await gate`select pg_advisory_unlock(${LAST_STEP})`;
  await gate.end();

  const functions = crashFunctions(sql);
  const engine = await startEngine({ db: db(), client: crashClient, functions, pollMs: 20, leaseMs: 400 });
  await until(
    async () => (await db().select().from(jobRuns)).filter((run) => run.state === "completed").length === RUNS,
  );
  await engine.stop();

  expect(await count()).toBe(RUNS * STEPS);
  expect((await db().select().from(jobRuns)).length).toBe(RUNS);
  const [tries] = await sql`select count(*)::int as n from tries`;
  expect(tries?.n).toBeGreaterThan(RUNS * STEPS);
});
