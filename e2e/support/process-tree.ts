import { readFileSync } from "node:fs";

/** A process and all below it, deepest last. Linux only, like the browser tests. */
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

/** kill -9 of everything at once, as a power cut would. */
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
