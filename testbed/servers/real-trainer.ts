import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, openSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { trainerEnvironments, variablesOf } from "../../scripts/lib/trainer/environments.mjs";
import { onlineTrainer } from "./attach-trainer";
import { stopServersOf } from "./model-servers";

const BUILD_TINY =
  "import sys; sys.path.insert(0, 'trainer/tests/support'); from pathlib import Path; from tiny import build_tiny; build_tiny(Path(sys.argv[1]))";

/** Creates a home for the real trainer, with a tiny model, and returns how to start it there, also again after a kill. */
export async function makeTrainer() {
  const home = mkdtempSync(path.join(tmpdir(), "whetstone-e2e-trainer-"));
  const environments = await trainerEnvironments((name) => path.join(home, `${name}.log`));
  const env = {
    ...process.env,
    ...variablesOf(environments),
    HF_HUB_OFFLINE: "1",
    OMP_NUM_THREADS: "1",
  };
  /** Runs a program in the trainer's environment and returns what it printed. */
  const python = (code: string, args: readonly string[], more: Record<string, string> = {}) => {
    const ended = spawnSync(environments.python, ["-c", code, ...args], { env: { ...env, ...more }, encoding: "utf8" });
    if (ended.status !== 0) throw new Error(ended.stderr);
    return ended.stdout.trim();
  };
  const model = path.join(home, "tiny");
  python(BUILD_TINY, [model]);
  const log = path.join(home, "service.log");

  return {
    home,
    model,
    log,
    environments,
    python,
    /** Starts it beside a product, to which it attaches itself, and waits until it is online. */
    async start(product: { url: string; dataDir: string }) {
      const output = openSync(log, "a");
      const child = spawn(process.execPath, ["scripts/trainer.mjs", "--home", home], {
        env: { ...env, DATA_DIR: product.dataDir },
        stdio: ["ignore", output, output],
      });
      const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
      const crashed = exited.then(() => Promise.reject(new Error(`The trainer ended, see ${log}.`)));
      crashed.catch(() => {});
      await Promise.race([onlineTrainer(product), crashed]);
      // The service is the only child of the script that started it.
      const pid = Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim());
      const end = async (signal: NodeJS.Signals) => {
        process.kill(pid, signal);
        await exited;
      };
      return {
        pid,
        kill: () => end("SIGKILL"),
        /** Stops it permanently, with its model servers, which a restarted trainer would otherwise take over. */
        async stop() {
          await end("SIGTERM");
          stopServersOf(home);
        },
      };
    },
  };
}

export type Trainer = Awaited<ReturnType<typeof makeTrainer>>;
