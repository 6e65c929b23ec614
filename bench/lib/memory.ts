import { readFileSync } from "node:fs";
import { processTree } from "../../e2e/support/process-tree";

/**
 * Memory of a process in MiB; 0 when it has gone. `whole` is proportional (PSS), so that pages that several share count
 * once; `own` is without shared memory, which for the database is its cache of pages and grows until it is full.
 */
export function memoryOf(pid: number): { whole: number; own: number } {
  const rollup = read(`/proc/${pid}/smaps_rollup`);
  const mib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(rollup)?.[1] ?? 0) / 1024;
  return { whole: mib("Pss"), own: mib("Pss") - mib("Pss_Shmem") };
}

/** The same of a process and of all below it. */
export const memory = (pid: number, of: "whole" | "own" = "whole") =>
  processTree(pid).reduce((sum, one) => sum + memoryOf(one)[of], 0);

function read(path: string) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
