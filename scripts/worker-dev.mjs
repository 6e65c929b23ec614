// @ts-check
// The worker of `npm run dev`, restarted when its sources change.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { inRoot } from "./lib/system/paths.mjs";

const tsx = createRequire(import.meta.url).resolve("tsx/cli");
const child = spawn(
  process.execPath,
  [tsx, "watch", "--clear-screen=false", "--conditions=react-server", "worker/main.ts"],
  {
    cwd: inRoot(),
    stdio: ["ignore", "inherit", "inherit"],
  },
);
process.send?.({ type: "ready" }); // load errors are printed by tsx, which retries when the sources change
child.once("exit", (code) => process.exit(code ?? 1));
for (const signal of /** @type {const} */ (["SIGTERM", "SIGINT"])) process.on(signal, () => child.kill(signal));
process.on("exit", () => child.kill());
