import { execFile } from "node:child_process";
import { getPriority } from "node:os";
import { promisify } from "node:util";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { expect, test } from "vitest";
import * as schema from "@/db/schema";
import { env } from "@/env";
import { lowerBackendPriority } from "./lower-priority";

const connect = async (name: string) => {
  const db = drizzle(postgres(env().DATABASE_URL, { max: 1, connection: { application_name: name } }), { schema });
  const [mine] = await db.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`);
  return { db, pid: mine!.pid };
};

test.runIf(process.platform === "linux")(
  "only the database backends of the worker's connections get a lower priority",
  async () => {
    const worker = await connect("background work of a test");
    const web = await connect("what people wait for");
    const before = getPriority(web.pid);

    await lowerBackendPriority(worker.db, "background work of a test");

    expect(getPriority(worker.pid)).toBe(10);
    expect(getPriority(web.pid)).toBe(before);
    await Promise.all([worker, web].map(({ db }) => db.$client.end()));
  },
);

test.runIf(process.platform === "linux")("all threads of the worker get a lower priority", async () => {
  // In a process of its own, because a priority cannot be raised again.
  const code = `
    import { readdirSync } from "node:fs";
    import { getPriority } from "node:os";
    import { lowerOwnPriority } from "./worker/lower-priority";
    lowerOwnPriority();
    console.log(JSON.stringify(readdirSync("/proc/self/task").map((thread) => getPriority(Number(thread)))));`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--import=tsx",
    "--conditions=react-server",
    "--input-type=module",
    "--eval",
    code,
  ]);
  const priorities: number[] = JSON.parse(stdout);
  expect(priorities.length).toBeGreaterThan(4);
  expect(new Set(priorities)).toEqual(new Set([10]));
});
