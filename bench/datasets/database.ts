import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import type { Db } from "@/db/client";
import { prepareDatabase } from "@/db/prepare";
import * as schema from "@/db/schema";
import { Cluster, urlOf } from "../../scripts/lib/database/postgres.mjs";

const BUILDING = { maintenance_work_mem: "1GB", work_mem: "128MB" };

/** Creates a PostgreSQL of its own in `folder`, fills it without durability and starts it with the product's settings. */
export async function filledDatabase(
  folder: string,
  fill: (url: string, db: { sql: postgres.Sql; services: Db }) => Promise<void>,
): Promise<{ url: string; stop: () => Promise<void> }> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  const cluster = (throwaway: boolean) =>
    new Cluster(path.join(folder, "postgres"), { log: path.join(folder, "postgres.log"), throwaway });
  const building = cluster(true);
  await building.create();
  const builder = await building.start();
  const url = urlOf(building.access, "whetstone");
  await prepareDatabase({ url, ownerUrl: undefined });
  const sql = postgres(url, { max: 1, onnotice: () => {}, connection: BUILDING });
  const client = postgres(url, { max: 2, onnotice: () => {} });
  try {
    await fill(url, { sql, services: drizzle(client, { schema }) });
  } finally {
    await Promise.all([sql.end({ timeout: 5 }), client.end({ timeout: 5 })]);
    await builder.stop();
  }
  const filled = cluster(false);
  const server = await filled.start();
  return {
    url: urlOf(filled.access, "whetstone"),
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
