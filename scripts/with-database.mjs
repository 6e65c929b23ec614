// @ts-check
// node scripts/with-database.mjs [--fast] -- command …
// Runs a command with a temporary PostgreSQL: DATABASE_URL is a freshly migrated database in it, TEST_DATABASE_URL the
// server for tests that create their own databases. `--fast` trades durability for speed (for tests, not benchmarks).
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { prepareDatabase } from "./lib/database/prepare-database.mjs";
import { startTemporaryDatabase } from "./lib/database/temporary-database.mjs";
import { explain, OperatorError } from "./lib/system/operator-error.mjs";
import { inRoot, withTools } from "./lib/system/paths.mjs";
import { ended } from "./lib/system/processes.mjs";
import { onStopSignal } from "./lib/system/signals.mjs";

const given = process.argv.slice(2);
const separator = given.indexOf("--");
const options = separator < 0 ? [] : given.slice(0, separator);
const [command, ...args] = separator < 0 ? given : given.slice(separator + 1);

/** @type {import("node:child_process").ChildProcess | undefined} */
let child;
onStopSignal((signal) => child?.kill(signal));

try {
  if (!command) throw new OperatorError("Usage: node scripts/with-database.mjs [--fast] -- command [arguments]");
  const database = await startTemporaryDatabase({ throwaway: options.includes("--fast") });
  try {
    const env = {
      ...withTools(),
      DATABASE_URL: database.urlOf("whetstone"),
      MIGRATION_DATABASE_URL: "",
      TEST_DATABASE_URL: database.urlOf("postgres"),
      WHETSTONE_SECRET: process.env.WHETSTONE_SECRET || randomBytes(32).toString("base64url"),
      WHETSTONE_SECRET_FILE: "",
    };
    await prepareDatabase({ url: env.DATABASE_URL, ownerUrl: undefined }, { env });
    child = spawn(command, args, { cwd: inRoot(), env, stdio: "inherit" });
    const { code } = await ended(child);
    process.exitCode = code ?? 1;
  } finally {
    await database.stop();
  }
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}
