// @ts-check
import { print } from "../system/print.mjs";
import { ended, endProcess, identify } from "../system/processes.mjs";
import { INHERITED_FD, launchDetached } from "./launch.mjs";
import { watchBeats } from "./watch-beats.mjs";

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/**
 * A process that has run this long counts as stable: the next crash resets the backoff. Short, because an outage of
 * half a minute is worse than a process that restarts every ten seconds.
 */
const STABLE_AFTER_MS = 10_000;
const FINISH_MS = 10_000;
/** Operations named after a crash. */
const NAMED = 10;

/**
 * A child process that is restarted with exponential backoff when it crashes. `silentMs`: it sends messages regularly once it is
 * ready, and is ended when it has sent none for this long. `operations`: it writes the operations in progress there, which are
 * printed when it crashes.
 * @typedef {{
 *   name: string,
 *   args: readonly string[],
 *   env: () => NodeJS.ProcessEnv,
 *   onStarted?: () => void,
 *   silentMs?: number,
 *   operations?: import("./operations-file.mjs").OperationsFile,
 *   launch?: import("./launch.mjs").Launch,
 * }} Description
 */
export class Supervised {
  #stopping = false;
  /** A process that was never ready is not restarted: the caller of `start` gets the reason instead. */
  #ready = false;
  #pause = FIRST_PAUSE_MS;
  /** @type {NodeJS.Timeout | undefined} */
  #restartTimer;
  /** @type {import("node:child_process").ChildProcess | undefined} */
  #child;
  /** @type {import("../system/processes.mjs").Identity | undefined} */
  identity;

  /** @param {Description} description */
  constructor(description) {
    this.description = description;
  }

  /** Resolves with its first message, or with how it ended if it sent none. @returns {Promise<{failed?: string}>} */
  start() {
    const { name, args, env, onStarted, operations, launch = launchDetached } = this.description;
    /** Monotonic. @type {number | undefined} */
    let upAt;
    operations?.clear();
    const child = launch(
      args,
      { ...env(), ...(operations && { OPERATIONS_FD: String(INHERITED_FD) }) },
      operations?.fd,
    );
    this.#child = child;
    this.identity = child.pid ? identify(child.pid) : undefined;
    onStarted?.();
    const end = ended(child).catch((/** @type {Error} */ error) => ({ code: 1, signal: error.message }));
    void end.then(({ code, signal }) => {
      this.identity = undefined;
      if (this.#stopping || !this.#ready) return;
      if (upAt !== undefined && performance.now() - upAt > STABLE_AFTER_MS) this.#pause = FIRST_PAUSE_MS;
      print(`The ${name} process ended (${signal ?? `exit code ${code}`}); restarting it in ${this.#pause / 1000} s.`);
      const names = operations?.read().slice(0, NAMED) ?? [];
      if (names.length > 0) print(`Operations in progress, the latest first: ${names.join(", ")}`);
      this.#restartTimer = setTimeout(() => void this.start(), this.#pause);
      this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE_MS);
    });
    return new Promise((resolve) => {
      child.once("message", (message) => {
        const said = /** @type {{failed?: string}} */ (message);
        if (!said.failed) {
          this.#ready = true;
          upAt = performance.now();
          this.#endWhenSilent(child, end);
        }
        resolve(said);
      });
      void end.then(({ code, signal }) => resolve({ failed: signal ?? `exit code ${code}` }));
    });
  }

  /** @param {import("node:child_process").ChildProcess} child @param {Promise<unknown>} end */
  #endWhenSilent(child, end) {
    const { name, silentMs } = this.description;
    if (silentMs === undefined) return;
    const unwatch = watchBeats(child, silentMs, () => {
      print(`The ${name} process has not responded for ${silentMs / 1000} s; ending it.`);
      child.kill("SIGKILL"); // it cannot handle a signal
    });
    void end.then(unwatch);
  }

  async stop() {
    this.#stopping = true;
    clearTimeout(this.#restartTimer);
    if (!this.identity || !this.#child) return;
    await endProcess(this.identity, [
      { signal: "SIGTERM", withinMs: FINISH_MS },
      { signal: "SIGKILL", withinMs: 2_000 },
    ]);
  }

  /** @param {object} message */
  send(message) {
    if (this.#child?.connected) this.#child.send(message, () => {});
  }

  /** Terminates the process; it restarts immediately, with the current environment. */
  async restart() {
    this.#pause = FIRST_PAUSE_MS;
    this.#child?.kill("SIGTERM");
  }
}
