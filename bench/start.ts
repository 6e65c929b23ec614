import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startProduct } from "../testbed/product/product";
import { bound, machine } from "./lib/machine";

/**
 * Run by `npm run bench -- start`: time from `npm start` of a finished build to its ready line (new data folder, then the same
 * one again), and the idle memory of the process tree.
 */
const STARTS = 5;
const READY_WITHIN_MS = 5_000;
const IDLE_AFTER_MS = 30_000;
const IDLE_MEGABYTES = 700;

console.log(`Start and idle memory on ${machine()}`);
execFileSync(process.execPath, ["scripts/build.mjs"], { stdio: "inherit" });

const dataDir = mkdtempSync(path.join(tmpdir(), "whetstone-bench-"));
const times: number[] = [];
for (let start = 1; start <= STARTS; start += 1) {
  const product = await startProduct({ dataDir });
  times.push(product.readyAfterMs);
  if (start < STARTS) {
    process.kill(product.pid, "SIGTERM");
    await product.exited;
    continue;
  }
  await fetch(`${product.url}/readyz`);
  await sleep(IDLE_AFTER_MS);
  report(memoryOf(product.pid));
  await product.stop();
}

function report(processes: readonly { name: string; own: number; resident: number }[]) {
  const [first = Number.NaN, ...later] = times;
  bound(
    `ready within ${READY_WITHIN_MS / 1000} s, new data folder`,
    first <= READY_WITHIN_MS,
    `${Math.round(first)} ms`,
  );
  bound(
    `ready within ${READY_WITHIN_MS / 1000} s, same folder again (slowest of ${later.length})`,
    Math.max(...later) <= READY_WITHIN_MS,
    `${Math.round(Math.max(...later))} ms`,
  );
  for (const { name, own, resident } of processes) {
    console.log(`        ${own.toFixed(0).padStart(4)} MB (${resident.toFixed(0)} MB resident)  ${name}`);
  }
  const total = (of: "own" | "resident") => processes.reduce((sum, process) => sum + process[of], 0);
  bound(
    `idle memory of the whole tree at most ${IDLE_MEGABYTES} MB`,
    total("own") <= IDLE_MEGABYTES,
    `${total("own").toFixed(0)} MB (${total("resident").toFixed(0)} MB when what processes share is counted once for each)`,
  );
}

/** Returns each process of the tree. `own` counts a page shared by n processes 1/n to each (Linux's PSS). */
function memoryOf(root: number) {
  const rows = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" }).trim().split("\n");
  const all = rows.map((row) => {
    const [pid, parent, ...args] = row.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), name: args.join(" ").slice(0, 60) };
  });
  const tree = new Set([root]);
  for (const { pid, parent } of all) if (tree.has(parent)) tree.add(pid);
  return all.filter(({ pid }) => tree.has(pid)).map(({ pid, name }) => ({ name, ...megabytesOf(pid) }));
}

function megabytesOf(pid: number) {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const read = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(rollup)?.[1] ?? 0) / 1024;
  return { own: read("Pss"), resident: read("Rss") };
}
