// @ts-check
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import lockfile from "proper-lockfile";
import { identify, isRunning, until } from "./processes.mjs";

/**
 * What a lock file tells others about who holds it.
 * @typedef {import("./processes.mjs").Identity} Identity
 * @typedef {{holder: Identity, kind: string, database?: boolean, external?: boolean, stopping?: boolean, address?: string, children?: Record<string, Identity>}} Held
 */

/** @param {string} file @returns {Held | undefined} */
function read(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** Who holds the lock now, if that process is alive. @param {string} file */
export function holderOf(file) {
  const held = read(file);
  return held && isRunning(held.holder) ? held : undefined;
}

/** Somebody else has it. */
export class LockHeld extends Error {
  /** @param {Held} held */
  constructor(held) {
    super(`held by process ${held.holder.pid}`);
    this.held = held;
  }
}

export class Lock {
  /** @param {string} file @param {Held} content */
  constructor(file, content) {
    this.file = file;
    this.content = content;
  }

  /** @param {Partial<Held>} changes */
  tell(changes) {
    this.content = { ...this.content, ...changes };
    const next = `${this.file}.${process.pid}`;
    writeFileSync(next, JSON.stringify(this.content), { mode: 0o600 });
    renameSync(next, this.file);
  }

  release() {
    if (read(this.file)?.holder.pid === process.pid) rmSync(this.file, { force: true });
  }
}

/** Taking it is a matter of milliseconds: whoever holds this longer was killed in the middle. */
const TAKING = { realpath: false, stale: 5_000, retries: { retries: 400, minTimeout: 25, maxTimeout: 25 } };

/**
 * A file that names the process which holds it, and since when: the lock of a process that was killed is taken over at
 * once, together with the names of the children that it may have left behind.
 * @param {string} file
 * @param {string} kind
 */
export async function takeLock(file, kind) {
  // Held while we look and write only: a lock that lives by its heartbeat would be lost to a suspended machine.
  const done = await lockfile.lock(file, TAKING);
  try {
    const current = read(file);
    if (current && isRunning(current.holder)) throw new LockHeld(current);
    const lock = new Lock(file, { holder: identify(process.pid), kind, children: current?.children ?? {} });
    lock.tell({});
    return lock;
  } finally {
    await done();
  }
}

/**
 * @param {string} file
 * @param {string} kind
 * @param {{withinMs: number, worthWaitingFor?: (held: Held) => boolean}} options
 */
export async function waitForLock(file, kind, { withinMs, worthWaitingFor = () => true }) {
  const deadline = Date.now() + withinMs;
  for (;;) {
    try {
      return await takeLock(file, kind);
    } catch (error) {
      if (!(error instanceof LockHeld) || !worthWaitingFor(error.held) || Date.now() > deadline) throw error;
      const { holder } = error.held;
      await until(
        () => !isRunning(holder) || read(file)?.holder.pid !== holder.pid,
        Math.max(0, deadline - Date.now()),
      );
    }
  }
}
