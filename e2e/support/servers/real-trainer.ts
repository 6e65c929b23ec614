import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, openSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../../scripts/lib/database/postgres.mjs";
import { trainerEnvironments, variablesOf } from "../../../scripts/lib/trainer/environments.mjs";
import { stopServersOf } from "./model-servers";

const TOKEN = "the token of the real trainer";
const STARTED_WITHIN_MS = 120_000;
const LOOK_MS = 100;
const BUILD_TINY =
  "import sys; sys.path.insert(0, 'trainer/tests'); from pathlib import Path; from tiny import build_tiny; build_tiny(Path(sys.argv[1]))";

/** Creates a home for the real trainer, with a tiny model, and returns how to start it there, also again after a kill. */
export async function makeTrainer() {
  const home = mkdtempSync(path.join(tmpdir(), "whetstone-e2e-trainer-"));
  const environments = await trainerEnvironments((name) => path.join(home, `${name}.log`));
  const env = {
    ...process.env,
    ...variablesOf(environments),
    TRAINER_TOKEN: TOKEN,
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
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const log = path.join(home, "service.log");

  const isHealthy = async () => {
    const reply = await fetch(`${url}/v1/health`, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    await reply?.arrayBuffer().catch(() => {});
    return reply?.ok ?? false;
  };

  return {
    home,
    model,
    url,
    log,
    token: TOKEN,
    environments,
    python,
    /** Starts it and waits until it replies. */
    async start() {
      const output = openSync(log, "a");
      const child = spawn(environments.python, ["-m", "whetstone_trainer", "--home", home, "--port", String(port)], {
        env,
        stdio: ["ignore", output, output],
      });
      const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
      for (const begun = Date.now(); !(await isHealthy()); ) {
        const isLate = Date.now() - begun > STARTED_WITHIN_MS;
        if (isLate || child.exitCode !== null) throw new Error(`The trainer did not start, see ${log}.`);
        await sleep(LOOK_MS);
      }
      const end = async (signal: NodeJS.Signals) => {
        child.kill(signal);
        await exited;
      };
      return {
        pid: child.pid!,
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
