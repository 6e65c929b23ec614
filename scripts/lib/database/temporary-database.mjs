// @ts-check
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Cluster, urlOf } from "./postgres.mjs";

/**
 * Starts a PostgreSQL in a temporary folder, which `stop` deletes.
 * @param {{throwaway: boolean}} options `throwaway`: faster, because nothing has to survive a power failure
 */
export async function startTemporaryDatabase({ throwaway }) {
  const folder = mkdtempSync(path.join(tmpdir(), "whetstone-db-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const cluster = new Cluster(path.join(folder, "postgres"), { log: path.join(folder, "postgres.log"), throwaway });
    await cluster.create();
    const server = await cluster.start();
    return {
      /** @param {string} database */
      urlOf: (database) => urlOf(cluster.access, database),
      server,
      async stop() {
        await server.stop();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}
