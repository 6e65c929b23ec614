import { readFileSync } from "node:fs";
import { processTree } from "../../testbed/product/process-tree";

/**
 * Returns a process's memory in MiB; 0 if it has ended. `whole` is proportional (PSS), so that shared pages count once;
 * `own` excludes shared memory, which for the database is its page cache and grows until full.
 */
export function memoryOf(pid: number): { whole: number; own: number } {
  const rollup = read(`/proc/${pid}/smaps_rollup`);
  const mib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(rollup)?.[1] ?? 0) / 1024;
  return { whole: mib("Pss"), own: mib("Pss") - mib("Pss_Shmem") };
}

/** Returns the same for a process tree. The kernel walks every page for this, which keeps a core busy for a while. */
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
