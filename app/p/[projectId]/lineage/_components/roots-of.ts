import type { TrainingJob } from "@/server/services/training/jobs/schemas";

export type Root = { id: string; runs: number; lastAt: number };

/** Returns the base models of training runs with their number of runs, the most recently used first. */
export function rootsOf(jobs: readonly Pick<TrainingJob, "baseModel" | "createdAt">[]): Root[] {
  const roots = new Map<string, Root>();
  for (const { baseModel, createdAt } of jobs) {
    const known = roots.get(baseModel.id) ?? { id: baseModel.id, runs: 0, lastAt: 0 };
    roots.set(baseModel.id, { ...known, runs: known.runs + 1, lastAt: Math.max(known.lastAt, createdAt) });
  }
  return [...roots.values()].toSorted((a, b) => b.lastAt - a.lastAt);
}
