import { cpus, totalmem } from "node:os";

/** Which machine a figure is of: a figure without it says nothing. */
export const machine = () =>
  `${cpus().length} × ${cpus()[0]?.model.trim() ?? "CPU"}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, ${process.platform}`;

/** The value below which the share `p` of the samples lies. */
export function percentile(samples: readonly number[], p: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(p * sorted.length) - 1)] ?? Number.NaN;
}

/** Prints whether a bound was met and remembers a miss in the exit code, so that a benchmark can fail. */
export function bound(what: string, met: boolean, figure: string) {
  console.log(`${met ? "met   " : "MISSED"}  ${what}: ${figure}`);
  if (!met) process.exitCode = 1;
}
