// @ts-check
// npm run inngest: runs a local Inngest server with its dashboard beside the app. The product does not depend on it.
import { spawn, spawnSync } from "node:child_process";
import { requireNode } from "./lib/system/node-version.mjs";

requireNode();

/** Pinned to the version whose dashboard and protocol the functions were tested with. */
const PACKAGE = "inngest-cli@1.45.1";
const DASHBOARD_PORT = 8288;

const { addressOf, readSettings } = await import("./lib/serving/settings.mjs");
const { print } = await import("./lib/system/print.mjs");

const app = addressOf(readSettings());
const server = `http://127.0.0.1:${DASHBOARD_PORT}`;

/** A local binary takes precedence: `INNGEST_CLI=/path/to/inngest npm run inngest`. */
const command = process.env.INNGEST_CLI ? [process.env.INNGEST_CLI] : ["npx", "--yes", PACKAGE];

const [program = "", ...args] = command;
const found = spawnSync(program, [...args, "version"], { stdio: ["ignore", "pipe", "pipe"], timeout: 120_000 });
if (found.status !== 0) {
  print(
    "inngest-cli is not available here: its npm package downloads the program from cli.inngest.com, which this machine " +
      "cannot reach (or npm may not run its install script). The app does not need it: without INNGEST_BASE_URL it runs " +
      "its jobs itself. For the dashboard, download the program from https://github.com/inngest/inngest/releases " +
      "and run INNGEST_CLI=/path/to/inngest npm run inngest.",
  );
  process.exit(1);
}

print(`Inngest's dashboard: ${server}`);
print(`Then start the app with: INNGEST_DEV=1 INNGEST_BASE_URL=${server} npm start`);

const child = spawn(
  program,
  [...args, "dev", "--no-discovery", "--port", String(DASHBOARD_PORT), "--sdk-url", `${app}/api/inngest`],
  { stdio: ["ignore", "inherit", "inherit"] },
);
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) process.on(signal, () => child.kill(signal));
child.once("exit", (code, signal) => process.exit(code ?? (signal ? 0 : 1)));
