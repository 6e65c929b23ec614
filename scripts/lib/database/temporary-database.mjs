// @ts-check
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Cluster, urlOf } from "./postgres.mjs";

/**
 * A PostgreSQL of its own in a temporary folder, gone with `stop`.
 * @param {{throwaway: boolean}} options `throwaway`: faster, because nothing in it has to survive a power cut
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
