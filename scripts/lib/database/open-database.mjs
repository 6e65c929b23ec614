// @ts-check
import { holderOf, LockHeld, waitForLock } from "../system/lock.mjs";
import { OperatorError } from "../system/operator-error.mjs";
import { endOrphans } from "../system/orphans.mjs";
import { step } from "../system/print.mjs";
import { until } from "../system/processes.mjs";
import { databaseUrls } from "./postgres.mjs";
import { prepareDatabase } from "./prepare-database.mjs";

const WAIT_MS = 60_000;

/**
 * Runs a command on this installation's database: that of DATABASE_URL, that of a running server, or the embedded one,
 * started for the duration of the command.
 * @template T
 * @param {{folder: ReturnType<typeof import("./data-folder.mjs").dataFolder>, given: import("./prepare-database.mjs").Urls | undefined, built: boolean, env: NodeJS.ProcessEnv}} options
 *   `given`: an external database
 * @param {(urls: import("./prepare-database.mjs").Urls, address: string | undefined) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withInstalledDatabase({ folder, given, built, env }, work) {
  if (given) {
    await prepareDatabase(given, { env, built });
    return work(given, holderOf(folder.lockFile)?.address);
  }
  const embedded = () => databaseUrls(folder.cluster.access);
  const lock = await lockOrServer(folder.lockFile);
  if ("holder" in lock) {
    if (lock.external)
      throw new OperatorError(
        "The running server uses the database in its DATABASE_URL. Set DATABASE_URL for this command too.",
      );
    return work(embedded(), lock.address);
  }
  try {
    await endOrphans(lock, folder.cluster);
    if (!folder.cluster.exists) await step("Creating the database", () => folder.cluster.create());
    const server = await folder.cluster.start();
    try {
      await prepareDatabase(embedded(), { env, built, embedded: true });
      return await work(embedded(), undefined);
    } finally {
      await server.stop();
    }
  } finally {
    lock.release();
  }
}

/** @param {string} file @returns {Promise<import("../system/lock.mjs").Lock | import("../system/lock.mjs").Held>} */
async function lockOrServer(file) {
  try {
    return await waitForLock(file, "cli", {
      withinMs: WAIT_MS,
      shouldWait: ({ kind, stopping }) => kind === "cli" || stopping === true,
    });
  } catch (error) {
    if (!(error instanceof LockHeld)) throw error;
    if (error.held.kind === "cli")
      throw new OperatorError(
        `Another command (process ${error.held.holder.pid}) has been using this database for a minute. Retry when it is done.`,
      );
    await until(() => holderOf(file)?.database === true || !holderOf(file), WAIT_MS);
    const server = holderOf(file);
    if (!server?.database) throw new OperatorError("The server is starting or stopping. Retry in a moment.");
    return server;
  }
}
