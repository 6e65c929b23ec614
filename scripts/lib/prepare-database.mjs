// @ts-check
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { inRoot, runTypeScript } from "./paths.mjs";
import { ended } from "./processes.mjs";
import { Trouble } from "./trouble.mjs";

/**
 * What a start has to know of the database.
 * @typedef {{serverVersion: string, setupToken: string | null}} Prepared
 */

/**
 * Creates what is missing in the database and brings it to this version of the code: `cli/prepare.ts` in a process of
 * its own, so that what it loads does not stay in the supervisor's memory.
 * @param {string} url
 * @param {{env?: NodeJS.ProcessEnv, firstRun?: boolean, built?: boolean}} [options] `firstRun`: make the one-time link if nobody is there yet
 * @returns {Promise<Prepared>}
 */
export async function prepareDatabase(url, { env = process.env, firstRun = false, built = false } = {}) {
  const program =
    built && existsSync(inRoot("dist/prepare.js")) ? ["dist/prepare.js"] : [...runTypeScript(), "cli/prepare.ts"];
  const child = spawn(process.execPath, [...program, ...(firstRun ? ["--first-run"] : [])], {
    cwd: inRoot(),
    env: { ...env, DATABASE_URL: url },
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
  if (code !== 0) throw new Trouble(problem.trim() || "The database could not be prepared.");
  return JSON.parse(out);
}
