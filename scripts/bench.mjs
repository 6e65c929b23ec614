// @ts-check
// npm run bench -- NAME [arguments]: runs a benchmark of bench/. Without a name, lists them.
import { spawn } from "node:child_process";
import { listOfBenches, runBench } from "./lib/benches.mjs";
import { ROOT } from "./lib/system/paths.mjs";
import { ended } from "./lib/system/processes.mjs";
import { onStopSignal } from "./lib/system/signals.mjs";

const [name = "", ...args] = process.argv.slice(2);
const program = runBench(name, args);
if (program) {
  const child = spawn(process.execPath, program, { cwd: ROOT, stdio: "inherit" });
  onStopSignal((signal) => child.kill(signal));
  process.exitCode = (await ended(child)).code ?? 1;
} else if (name) {
  console.error(`There is no benchmark “${name}”.\n\n${listOfBenches()}`);
  process.exitCode = 1;
} else {
  console.log(listOfBenches());
}
