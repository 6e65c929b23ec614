// @ts-check
import { spawn, spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { OperatorError } from "./operator-error.mjs";
import { inRoot } from "./paths.mjs";
import { tail } from "./print.mjs";

/**
 * Identifies a process unambiguously, so that a later one with a reused pid is not mistaken for it.
 * @typedef {{pid: number, since: string}} Identity
 */

/** @param {() => string} read */
const orNull = (read) => {
  try {
    return read();
  } catch {
    return null;
  }
};

const bootId = () => orNull(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()) ?? "";

/**
 * Returns the process's start time as an opaque unique string; null for a missing process or a zombie.
 * @param {number} pid
 */
export function startOf(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return null;
  if (process.platform === "linux") {
    const stat = orNull(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
    if (!stat) return null;
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? null : `${bootId()}:${fields[19]}`;
  }
  const { stdout, status } = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" });
  return status === 0 && stdout.trim() ? stdout.trim() : null;
}

/** @param {number} pid @returns {Identity} */
export const identify = (pid) => ({ pid, since: startOf(pid) ?? "" });

/** @param {Identity | undefined} identity */
export const isRunning = (identity) => Boolean(identity?.since) && startOf(identity?.pid ?? 0) === identity?.since;

/** @param {number} pid */
export function commandOf(pid) {
  if (process.platform === "linux") {
    return (orNull(() => readFileSync(`/proc/${pid}/cmdline`, "utf8")) ?? "").split("\0").join(" ").trim();
  }
  return spawnSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" }).stdout?.trim() ?? "";
}

/** @param {number} pid @param {NodeJS.Signals} signal */
export function signal(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // It has already ended.
  }
}

/**
 * @param {() => boolean} condition
 * @param {number} withinMs
 */
export async function until(condition, withinMs) {
  const POLL_MS = 25;
  const deadline = Date.now() + withinMs;
  while (!condition()) {
    if (Date.now() > deadline) return false;
    await sleep(POLL_MS);
  }
  return true;
}

/**
 * Sends each signal in turn until the process has ended.
 * @param {Identity} identity
 * @param {readonly {signal: NodeJS.Signals, withinMs: number}[]} ladder
 */
export async function endProcess(identity, ladder) {
  for (const { signal: name, withinMs } of ladder) {
    if (!isRunning(identity)) return true;
    signal(identity.pid, name);
    if (await until(() => !isRunning(identity), withinMs)) return true;
  }
  return !isRunning(identity);
}

/** @param {import("node:child_process").ChildProcess} child @returns {Promise<{code: number | null, signal: string | null}>} */
export const ended = (child) =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve({ code: child.exitCode, signal: child.signalCode })
    : new Promise((resolve, reject) => {
        child.once("error", reject);
        child.once("exit", (code, signalName) => resolve({ code, signal: signalName }));
      });

/** @type {Set<import("node:child_process").ChildProcess>} */
const foreground = new Set();

/** Ends foreground programs (an installation, a build), so that a stop need not wait for them. */
export const endForeground = () => {
  for (const child of foreground) child.kill("SIGTERM");
};

/**
 * Runs a program to completion with its output in a log; an error message quotes the last lines.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{log: string, env?: NodeJS.ProcessEnv, failed: string}} options
 */
export async function runLogged(command, args, { log, env = process.env, failed }) {
  const fd = openSync(log, "w", 0o600);
  try {
    const child = spawn(command, args, { cwd: inRoot(), env, stdio: ["ignore", fd, fd] });
    foreground.add(child);
    const { code } = await ended(child).finally(() => foreground.delete(child));
    if (code !== 0) throw new OperatorError(`${failed} Its last output (all of it is in ${log}):\n\n${tail(log)}`);
  } finally {
    closeSync(fd);
  }
}
