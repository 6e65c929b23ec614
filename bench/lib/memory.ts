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

/** The same of a process and of all below it. The kernel looks at every page for it: it takes a core for a while. */
export const memory = (pid: number): { whole: number; own: number } =>
  processTree(pid)
    .map(memoryOf)
    .reduce((sum, one) => ({ whole: sum.whole + one.whole, own: sum.own + one.own }));

function read(path: string) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
