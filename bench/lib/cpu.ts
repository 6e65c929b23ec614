import { readFileSync } from "node:fs";
import { processTree } from "../../testbed/product/process-tree";

/** Clock ticks per second: the same on every Linux that Node runs on. */
const TICKS = 100;
const PARTS = ["web", "worker", "database", "other"] as const;
type Part = (typeof PARTS)[number];

/** Returns the CPU seconds of each part of the product since it started; excludes processes that have ended. */
export function cpuOf(pid: number): Record<Part, number> {
  const used: Record<Part, number> = { web: 0, worker: 0, database: 0, other: 0 };
  for (const one of processTree(pid)) {
    try {
      const command = readFileSync(`/proc/${one}/cmdline`, "utf8");
      const stat = readFileSync(`/proc/${one}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      used[partOf(command)] += (Number(fields[11]) + Number(fields[12])) / TICKS;
    } catch {
      // It has ended.
    }
  }
  return used;
}

function partOf(command: string): Part {
  if (command.includes("postgres")) return "database";
  if (command.includes("worker")) return "worker";
  return command.includes("web") ? "web" : "other";
}

/** Returns the busy cores between two samples, `seconds` apart: `web 0.31, worker 0.52, …`. */
export const coresBetween = (before: Record<Part, number>, after: Record<Part, number>, seconds: number) =>
  Object.fromEntries(PARTS.map((part) => [part, (after[part] - before[part]) / seconds])) as Record<Part, number>;
