import { getPriority } from "node:os";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { expect, test } from "vitest";
import * as schema from "@/db/schema";
import { env } from "@/env";
import { sessionNiceness } from "@/server/platform/processes/process-priority";
import { hasSessionPriorities } from "@/server/platform/testing/session-priority";
import { lowerBackendPriority } from "./yield-to-requests";

const connect = async (name: string) => {
  const db = drizzle(postgres(env().DATABASE_URL, { max: 1, connection: { application_name: name } }), { schema });
  const [mine] = await db.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`);
  return { db, pid: mine!.pid };
};

test.runIf(process.platform === "linux")(
  "only the database backends of the named connections get a lower priority",
  async () => {
    const worker = await connect("background work of a test");
    const web = await connect("what people wait for");
    const before = [getPriority(web.pid), sessionNiceness(web.pid)];

    await lowerBackendPriority(worker.db, "background work of a test", 10);

    expect(getPriority(worker.pid)).toBe(10);
    if (hasSessionPriorities) expect(sessionNiceness(worker.pid)).toBe(10);
    expect([getPriority(web.pid), sessionNiceness(web.pid)]).toEqual(before);
    await Promise.all([worker, web].map(({ db }) => db.$client.end()));
  },
);
