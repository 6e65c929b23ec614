// @ts-check
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { explain } from "../system/operator-error.mjs";
import { inRoot } from "../system/paths.mjs";
import { ended } from "../system/processes.mjs";
import { onStopSignal } from "../system/signals.mjs";
import { trainerEnvironments, variablesOf } from "./environments.mjs";

const WITHOUT_COMPRESS = "--without-compress";

/** Makes the environments, then runs the trainer until it ends. @param {readonly string[]} args for the trainer */
export async function runTrainer(args) {
  try {
    const logs = mkdtempSync(path.join(tmpdir(), "whetstone-trainer-"));
    const environments = await trainerEnvironments((name) => path.join(logs, `${name}.log`), {
      compress: !args.includes(WITHOUT_COMPRESS),
    });
    const passed = args.filter((one) => one !== WITHOUT_COMPRESS);
    const child = spawn(environments.python, ["-m", "whetstone_trainer", ...passed], {
      cwd: inRoot(),
      env: { ...process.env, ...variablesOf(environments) },
      stdio: "inherit",
    });
    onStopSignal(() => child.kill("SIGTERM"));
    process.exitCode = (await ended(child)).code ?? 1;
  } catch (error) {
    console.error(explain(error));
    process.exitCode = 1;
  }
}
