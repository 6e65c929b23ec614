import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { applicationUrlOf, Cluster, urlOf } from "../../scripts/lib/database/postgres.mjs";

/** Starts a PostgreSQL that a test can stop and start, to serve as an external DATABASE_URL. */
export async function startOwnDatabase() {
  const folder = mkdtempSync(path.join(tmpdir(), "whetstone-db-"));
  const cluster = new Cluster(path.join(folder, "postgres"), { log: path.join(folder, "postgres.log") });
  await cluster.create();
  let server = await cluster.start();
  return {
    port: cluster.access.port,
    /** Its URL, or that of a proxy in front. */
    urlOf: (database: string, port = cluster.access.port) => urlOf({ ...cluster.access, port }, database),
    /** The URL of an unprivileged user, created when the product starts. */
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
