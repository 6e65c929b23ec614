// @ts-check
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { identify, isRunning, until } from "./processes.mjs";

/**
 * The content of a lock file, which identifies its holder.
 * @typedef {import("./processes.mjs").Identity} Identity
 * @typedef {{holder: Identity, kind: string, database?: boolean, external?: boolean, stopping?: boolean, address?: string, local?: string, children?: Record<string, Identity>}} Held
 */

/** @param {string} file @returns {Held | undefined} */
function read(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** Returns the lock's content if the holder is alive. @param {string} file */
export function holderOf(file) {
  const held = read(file);
  return held && isRunning(held.holder) ? held : undefined;
}

/** Thrown when another process holds the lock. */
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
  update(changes) {
    this.content = { ...this.content, ...changes };
    const next = `${this.file}.${process.pid}`;
    writeFileSync(next, JSON.stringify(this.content), { mode: 0o600 });
    renameSync(next, this.file);
  }

  release() {
    if (read(this.file)?.holder.pid === process.pid) rmSync(this.file, { force: true });
  }
}

/**
 * Acquires a lock: a file that names the process which holds it, and since when. The lock of a killed process is taken
 * over, together with the names of the children that it may have left behind.
 * @param {string} file
 * @param {string} kind
 */
export function acquireLock(file, kind) {
  const mine = `${file}.${process.pid}`;
  const ATTEMPTS = 20; // each fails only if another process acquired or released the lock in between
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const current = read(file);
    if (current && isRunning(current.holder)) throw new LockHeld(current);
    /** @type {Held} */
    const content = { holder: identify(process.pid), kind, children: current?.children ?? {} };
    writeFileSync(mine, JSON.stringify(content), { mode: 0o600 });
    try {
      takeOver(file, current);
      linkSync(mine, file); // atomic; fails if the file already exists
      return new Lock(file, content);
    } catch {
      // Another process was faster: check again.
    } finally {
      rmSync(mine, { force: true });
    }
  }
  throw new Error(`${file} keeps being taken by other processes.`);
}

/** @param {string} file @param {Held | undefined} dead */
function takeOver(file, dead) {
  const aside = `${file}.old.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch {
    return; // there is none
  }
  const moved = read(aside);
  const alive = moved && isRunning(moved.holder) && moved.holder.since !== dead?.holder.since;
  if (alive) linkSync(aside, file); // a new holder's lock, moved by mistake
  rmSync(aside, { force: true });
}

/**
 * @param {string} file
 * @param {string} kind
 * @param {{withinMs: number, shouldWait?: (held: Held) => boolean}} options
 */
export async function waitForLock(file, kind, { withinMs, shouldWait = () => true }) {
  const deadline = Date.now() + withinMs;
  for (;;) {
    try {
      return acquireLock(file, kind);
    } catch (error) {
      if (!(error instanceof LockHeld) || !shouldWait(error.held) || Date.now() > deadline) throw error;
      const { holder } = error.held;
      await until(
        () => !isRunning(holder) || read(file)?.holder.pid !== holder.pid,
        Math.max(0, deadline - Date.now()),
      );
    }
  }
}
