// @ts-check
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { explain, OperatorError } from "../system/operator-error.mjs";
import { inRoot } from "../system/paths.mjs";
import { ended } from "../system/processes.mjs";
import { onStopSignal } from "../system/signals.mjs";
import { attachHere } from "./attach-here.mjs";
import { findPython, trainerEnvironments, variablesOf } from "./environments.mjs";

const WITHOUT_COMPRESS = "--without-compress";
const AGENT = /^--agent(=|$)/;
const HELP = new Set(["--help", "-h"]);

/** Creates the environments, then runs the trainer until it ends. @param {readonly string[]} args for the trainer */
export async function runTrainer(args) {
  try {
    if (args.some((one) => HELP.has(one))) return showOptions();
    const logs = mkdtempSync(path.join(tmpdir(), "whetstone-trainer-"));
    const environments = await trainerEnvironments((name) => path.join(logs, `${name}.log`), {
      compress: !args.includes(WITHOUT_COMPRESS),
    });
    const passed = args.filter((one) => one !== WITHOUT_COMPRESS);
    const here = passed.some((one) => AGENT.test(one)) ? undefined : await attachHere();
    const child = spawn(
      environments.python,
      ["-m", "whetstone_trainer", ...passed, ...(here ? ["--agent", here.web] : [])],
      {
        cwd: inRoot(),
        env: { ...process.env, ...variablesOf(environments), ...(here && { WHETSTONE_TRAINER_KEY: here.key }) },
        stdio: "inherit",
      },
    );
    onStopSignal(() => child.kill("SIGTERM"));
    process.exitCode = (await ended(child)).code ?? 1;
  } catch (error) {
    console.error(explain(error));
    process.exitCode = 1;
  }
}

/** Prints the options without creating the environments, which take gigabytes. */
function showOptions() {
  const python = findPython();
  if (!python) throw new OperatorError("The trainer needs Python 3.11 or later with its venv module.");
  spawnSync(python, [inRoot("trainer/whetstone_trainer/options.py")], { stdio: "inherit" });
}
