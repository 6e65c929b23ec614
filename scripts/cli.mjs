// @ts-check
// npx whetstone …: runs the operator's command line, with the database that it needs. See cli/main.ts.
import { spawn } from "node:child_process";
import { isBuilt, sourcesDigest } from "./lib/building/build.mjs";
import { install } from "./lib/building/install.mjs";
import { dataFolder } from "./lib/database/data-folder.mjs";
import { withInstalledDatabase } from "./lib/database/open-database.mjs";
import { addressOf, givenDatabase, readSettings } from "./lib/serving/settings.mjs";
import { requireNode } from "./lib/system/node-version.mjs";
import { explain } from "./lib/system/operator-error.mjs";
import { inRoot, runTypeScript } from "./lib/system/paths.mjs";
import { printToStderr } from "./lib/system/print.mjs";
import { ended } from "./lib/system/processes.mjs";
import { onStopSignal } from "./lib/system/signals.mjs";

/** Command groups that need the database when followed by a command; anything else is help or a usage error. */
const ON_DATABASE = /^(user|project|demo|key|job|prices|secret|trainer) [a-z]|^(setup-link|backup|restore)\b/;

const args = process.argv.slice(2);
const words = args.filter((word) => !word.startsWith("-")).join(" ");
const needsDatabase = ON_DATABASE.test(words) && !args.includes("--help") && !args.includes("-h");

/** @type {import("node:child_process").ChildProcess | undefined} */
let child;
onStopSignal((signal) => child?.kill(signal));

/** @param {boolean} built @param {NodeJS.ProcessEnv} env */
async function runCommand(built, env) {
  const program = built ? ["dist/cli.js"] : [...runTypeScript(), "cli/main.ts"];
  // File arguments are relative to the caller's directory: npm changes to the repository and reports the original. A command that
  // does background work starts the programs of dist/, as a worker does.
  const from = words.startsWith("job ") ? inRoot() : (process.env.INIT_CWD ?? process.cwd());
  child = spawn(process.execPath, [...program.slice(0, -1), inRoot(program.at(-1) ?? ""), ...args], {
    cwd: from,
    env,
    stdio: "inherit",
  });
  const { code } = await ended(child);
  return code ?? 1;
}

requireNode();
printToStderr();
try {
  const settings = readSettings();
  const folder = dataFolder(settings.dataDir);
  await install(folder.log("install"));
  const built = isBuilt(sourcesDigest());
  if (!needsDatabase) {
    process.exitCode = await runCommand(built, process.env);
  } else {
    /** @type {NodeJS.ProcessEnv} */
    const env = {
      ...process.env,
      NODE_ENV: built ? "production" : "development", // without a build, there are no programs in dist/
      DATA_DIR: folder.folder,
      WHETSTONE_SECRET: folder.secret(),
      WHETSTONE_SECRET_FILE: "",
      LOG_LEVEL: process.env.LOG_LEVEL || "warn",
    };
    process.exitCode = await withInstalledDatabase(
      { folder, given: givenDatabase(settings), built, env },
      ({ url, ownerUrl }, address) =>
        runCommand(built, {
          ...env,
          DATABASE_URL: url,
          MIGRATION_DATABASE_URL: ownerUrl ?? "",
          PUBLIC_URL: address ?? addressOf(settings),
        }),
    );
  }
} catch (error) {
  const message = explain(error);
  console.error(args.includes("--json") ? JSON.stringify({ error: { code: "unavailable", message } }) : message);
  process.exitCode = 1;
}
