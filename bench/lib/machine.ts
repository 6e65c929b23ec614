import { cpus, totalmem } from "node:os";

/** Describes the machine; a figure means nothing without it. */
export const machine = () =>
  `${cpus().length} × ${cpus()[0]?.model.trim() ?? "CPU"}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, ${process.platform}`;

/** Returns the value below which the share `p` of the samples lies. */
export function percentile(samples: readonly number[], p: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(p * sorted.length) - 1)] ?? Number.NaN;
}

/** Prints whether a bound was met; a miss sets the exit code, so that the benchmark fails. */
export function bound(what: string, met: boolean, figure: string) {
  console.log(`${met ? "met   " : "MISSED"}  ${what}: ${figure}`);
  if (!met) process.exitCode = 1;
}
