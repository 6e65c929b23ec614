import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { inRoot } from "@/scripts/lib/system/paths.mjs";
import { trainerPythonPath } from "@/scripts/lib/trainer/environments.mjs";

const TOKEN = "the token of the tiny model";

export const hasTrainerPython = () => existsSync(trainerPythonPath());

/** A tiny model with random weights in the trainer's own server, which renders prompts with one of TRL's chat templates. */
export async function startTinyModel(template: string, env: NodeJS.ProcessEnv) {
  const child: ChildProcess = spawn(trainerPythonPath(), [inRoot("trainer/tests/support/serve_tiny.py"), template], {
    env: {
      ...env,
      PYTHONPATH: `${inRoot("trainer")}:${inRoot("trainer/tests/support")}`,
      HF_HUB_OFFLINE: "1",
      OMP_NUM_THREADS: "1",
      WHETSTONE_SERVE_TOKEN: TOKEN,
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const port = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout! }).once("line", resolve);
    child.once("exit", (code) => reject(new Error(`The tiny model ended with ${code}.`)));
  });
  return { url: `http://127.0.0.1:${port}`, token: TOKEN, stop: () => void child.stdin!.end() };
}
