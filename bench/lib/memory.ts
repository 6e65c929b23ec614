import { readFileSync } from "node:fs";
import { processTree } from "../../e2e/support/process-tree";

/** Memory of a process in MiB: proportional (PSS), so that pages that several share count once; 0 when it has gone. */
export function memoryOf(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1024;
}

/** The same of a process and of all below it. */
export const memory = (pid: number) => processTree(pid).reduce((sum, one) => sum + memoryOf(one), 0);

function read(path: string) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
