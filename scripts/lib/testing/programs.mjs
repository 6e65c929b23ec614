// @ts-check
import { spawn } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import path from "node:path";
import { OperatorError } from "../system/operator-error.mjs";
import { inRoot } from "../system/paths.mjs";
import { print } from "../system/print.mjs";
import { ended, endForeground, endProcess, identify, signal } from "../system/processes.mjs";
import { onStopSignal } from "../system/signals.mjs";

/** Marks every process of a run, whatever started it. */
const MARK = "WHETSTONE_TEST_RUN";
/** How long Playwright and Vitest may take to clean up after a stop. */
const CLEAN_UP_MS = 20_000;

/**
 * `log`: the file for its output; without one it goes to the terminal. `niceness`: 0 to 19, for work that yields to other parts.
 * @typedef {{env?: Record<string, string>, cwd?: string | undefined, log?: string | undefined, niceness?: number}} How
 */

/** The programs that a run of the tests starts. None of them, and nothing that they start, outlives the run. */
export class Programs {
  /** @type {Set<import("node:child_process").ChildProcess>} */
  #running = new Set();
  #stopped = false;
  #env;
  #mark;

  /** @param {Record<string, string | undefined>} env */
  constructor(env) {
    this.#mark = crypto.randomUUID();
    this.#env = { ...env, [MARK]: this.#mark };
  }

  get isStopped() {
    return this.#stopped;
  }

  /** Runs a program to its end and returns whether it succeeded. @param {readonly string[]} command @param {How} [how] */
  async succeeds([program = "", ...args], { env = {}, cwd = inRoot(), log, niceness = 0 } = {}) {
    if (this.#stopped) throw new OperatorError("Stopped.");
    if (!log) print(`\n— ${[path.basename(program), ...args].join(" ")}`);
    const output = log ? openSync(log, "w", 0o600) : undefined;
    try {
      // Detached: Ctrl+C in a terminal reaches only us, and we stop it once; a second signal would cut its cleaning up short.
      const child = spawn(program, args, {
        cwd,
        env: /** @type {any} */ ({ ...this.#env, ...env }),
        detached: true,
        stdio: output === undefined ? "inherit" : ["ignore", output, output],
      });
      this.#running.add(child);
      if (niceness && child.pid) lowerPriority(child.pid, niceness);
      const { code } = await ended(child).finally(() => this.#running.delete(child));
      return code === 0;
    } finally {
      if (output !== undefined) closeSync(output);
    }
  }

  /** Stops everything: first in the way in which programs clean up, then what is left. */
  async stop() {
    this.#stopped = true;
    const running = [...this.#running];
    for (const child of running) child.kill("SIGINT");
    await Promise.all(
      running.map(
        ({ pid }) => pid && endProcess(identify(pid), [{ signal: "SIGCONT", withinMs: CLEAN_UP_MS }, ...FIRMLY]),
      ),
    );
    await this.endLeftovers();
  }

  /** Ends processes that a part has left behind. (Elsewhere than on Linux there is no way to find them.) */
  async endLeftovers() {
    await Promise.all(this.#leftovers().map((pid) => endProcess(identify(pid), FIRMLY)));
  }

  #leftovers() {
    if (process.platform !== "linux") return [];
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > 0 && pid !== process.pid && this.#isOurs(pid));
  }

  /** @param {number} pid */
  #isOurs(pid) {
    try {
      return readFileSync(`/proc/${pid}/environ`, "utf8").includes(`${MARK}=${this.#mark}`);
    } catch {
      return false; // it has ended, or is somebody else's
    }
  }

  /** Ends everything at once, when a stop is requested again. */
  kill() {
    for (const pid of this.#leftovers()) signal(pid, "SIGKILL");
  }
}

/** npm passes on a Ctrl+C that the terminal has sent to us already: within this time, both are one. */
const ONE_SIGNAL_MS = 1_000;

/** Stops the programs on the first stop signal and kills them when it is repeated. @param {Programs} programs */
export function stopOnSignal(programs) {
  let stoppedAt = 0;
  onStopSignal(() => {
    if (programs.isStopped) {
      if (Date.now() - stoppedAt > ONE_SIGNAL_MS) programs.kill();
      return;
    }
    stoppedAt = Date.now();
    print("\nStopping …");
    endForeground();
    void programs.stop();
  });
}

/** @param {number} pid of a session's first process @param {number} niceness */
function lowerPriority(pid, niceness) {
  setPriority(pid, niceness);
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness)); // Linux schedules by session before by process
  } catch {
    // It schedules by process.
  }
}

const FIRMLY = /** @type {const} */ ([
  { signal: "SIGTERM", withinMs: 5_000 },
  { signal: "SIGKILL", withinMs: 2_000 },
]);
