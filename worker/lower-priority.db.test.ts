import { getPriority } from "node:os";
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
