import { readFileSync } from "node:fs";

/** Returns a process and its descendants, deepest last. Linux only, like the browser tests. */
export function processTree(pid: number): number[] {
  let children: string;
  try {
    children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  } catch {
    return [];
  }
  return [
    pid,
    ...children
      .trim()
      .split(" ")
      .filter(Boolean)
      .flatMap((child) => processTree(Number(child))),
  ];
}

/** Returns the web process of a product, which names itself. */
export const webProcessOf = (pid: number) =>
  processTree(pid).find((one) => readFileSync(`/proc/${one}/cmdline`, "utf8").startsWith("whetstone web"));

/** Kills everything at the same time with kill -9, like a power failure. */
export const killTree = (pid: number) => killAll(processTree(pid));

export function killAll(pids: readonly number[]) {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // Gone with its parent.
    }
  }
}
