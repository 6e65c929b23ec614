// @ts-check
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { OperatorError } from "../system/operator-error.mjs";
import { inRoot, runTypeScript } from "../system/paths.mjs";
import { ended } from "../system/processes.mjs";

/**
 * What a start has to know of the database.
 * @typedef {{serverVersion: string, setupToken: string | null}} Prepared
 * @typedef {{url: string, ownerUrl: string | undefined}} Urls the application's way in, and that of whose the tables are
 */

/**
 * Creates what is missing in the database and brings it to this version of the code: `cli/prepare.ts` in a process of
 * its own, so that what it loads does not stay in the supervisor's memory.
 * @param {Urls} urls
 * @param {{env?: NodeJS.ProcessEnv, firstRun?: boolean, built?: boolean, embedded?: boolean}} [options]
 *   `firstRun`: make the one-time link if nobody is there yet; `embedded`: the server is the installation's own
 * @returns {Promise<Prepared>}
 */
export async function prepareDatabase({ url, ownerUrl }, options = {}) {
  const { env = process.env, firstRun = false, built = false, embedded = false } = options;
  const program =
    built && existsSync(inRoot("dist/prepare.js")) ? ["dist/prepare.js"] : [...runTypeScript(), "cli/prepare.ts"];
  const flags = [...(firstRun ? ["--first-run"] : []), ...(embedded ? ["--embedded"] : [])];
  const child = spawn(process.execPath, [...program, ...flags], {
    cwd: inRoot(),
    env: { ...env, DATABASE_URL: url, MIGRATION_DATABASE_URL: ownerUrl ?? "" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let problem = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    problem += chunk;
  });
  const { code } = await ended(child);
  if (code !== 0) throw new OperatorError(problem.trim() || "The database could not be prepared.");
  return JSON.parse(out);
}
