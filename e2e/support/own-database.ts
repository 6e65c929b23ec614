import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { applicationUrlOf, Cluster, urlOf } from "../../scripts/lib/database/postgres.mjs";

/** A PostgreSQL that a test stops and starts as it likes, as the one of DATABASE_URL is not the product's own. */
export async function startOwnDatabase() {
  const folder = mkdtempSync(path.join(tmpdir(), "whetstone-db-"));
  const cluster = new Cluster(path.join(folder, "postgres"), { log: path.join(folder, "postgres.log") });
  await cluster.create();
  let server = await cluster.start();
  return {
    port: cluster.access.port,
    /** Its address, or that of something in between. */
    urlOf: (database: string, port = cluster.access.port) => urlOf({ ...cluster.access, port }, database),
    /** As a user without rights of its own, made when the product starts. */
    applicationUrlOf: (database: string) => applicationUrlOf(cluster.access, database),
    stop: () => server.stop(),
    async start() {
      server = await cluster.start();
    },
    async remove() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
