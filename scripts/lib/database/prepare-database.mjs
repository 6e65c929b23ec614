// @ts-check
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { OperatorError } from "../system/operator-error.mjs";
import { inRoot, runTypeScript } from "../system/paths.mjs";
import { ended } from "../system/processes.mjs";

/**
 * Facts about the database that a start needs.
 * @typedef {{serverVersion: string, setupToken: string | null}} Prepared
 * @typedef {{url: string, ownerUrl: string | undefined}} Urls the application's URL, and that of the tables' owner
 */

/**
 * Creates and migrates the database to this version of the code by running `cli/prepare.ts` in its own process, so that
 * its modules do not stay in the supervisor's memory.
 * @param {Urls} urls
 * @param {{env?: NodeJS.ProcessEnv, firstRun?: boolean, built?: boolean, embedded?: boolean}} [options]
 *   `firstRun`: create the one-time link if nobody has an account; `embedded`: the server belongs to the installation
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
