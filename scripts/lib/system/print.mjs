// @ts-check
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const SPIN_MS = 100;
const WIDTH = 60;
/** Where lines cannot be redrawn (a log, CI), a new line shows progress at this interval. */
const HEARTBEAT_MS = 15_000;

let out = /** @type {NodeJS.WriteStream} */ (process.stdout);
// A closed output pipe must not take the product down.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

/** Sends progress output to stderr from here on: stdout is for a program's result. */
export const printToStderr = () => {
  out = process.stderr;
};

/** @param {string} line */
export const print = (line) => {
  out.write(`${line}\n`);
};

/** @param {number} ms */
const seconds = (ms) => (ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`);

/**
 * Does the work while printing what it is, that it is still in progress, and how long it took.
 * @template T
 * @param {string} label
 * @param {() => Promise<T>} work
 * @param {{log?: string}} [options] `log`: its last line is shown as the current state
 * @returns {Promise<T>}
 */
export async function step(label, work, { log } = {}) {
  const started = Date.now();
  const elapsed = () => Date.now() - started;
  const live = out.isTTY && !process.env.CI;
  let frame = 0;
  const at = () => {
    const line = log ? tail(log, 1).trim().slice(0, WIDTH) : "";
    return line ? `: ${line}` : "";
  };
  if (!live) print(`${label} …`);
  const timer = live
    ? setInterval(() => {
        frame += 1;
        out.write(`\r\x1b[2K${SPINNER[frame % SPINNER.length]} ${label} … ${seconds(elapsed())}${at()}`);
      }, SPIN_MS)
    : setInterval(() => print(`  still running (${seconds(elapsed())})${at()}`), HEARTBEAT_MS);
  try {
    const result = await work();
    if (live) out.write(`\r\x1b[2K✓ ${label} (${seconds(elapsed())})\n`);
    else if (elapsed() > 3000) print(`  done in ${seconds(elapsed())}`);
    return result;
  } catch (error) {
    if (live) out.write(`\r\x1b[2K✗ ${label}\n`);
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/**
 * Returns the last lines of a log, for an error message.
 * @param {string} file
 * @param {number} [lines]
 */
export function tail(file, lines = 25) {
  const KEPT = 16 * 1024;
  try {
    const fd = openSync(file, "r");
    try {
      const { size } = fstatSync(fd);
      const buffer = Buffer.alloc(Math.min(size, KEPT));
      readSync(fd, buffer, 0, buffer.length, Math.max(0, size - KEPT));
      return buffer.toString().trimEnd().split("\n").slice(-lines).join("\n");
    } finally {
      closeSync(fd);
    }
  } catch {
    return "";
  }
}
