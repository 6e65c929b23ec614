import type { ConcurrencyKey } from "@/db/schema/engine";

export type Candidate = { id: string; projectId: string | null; queueAt: number; concurrencyKeys: ConcurrencyKey[] };
export type Running = Pick<Candidate, "projectId" | "concurrencyKeys">;

/**
 * Returns the due runs to start. The project with the fewest runs in progress goes first, so that one project's backlog does
 * not starve another's; within it the earliest by age and priority. Runs whose concurrency key is full are skipped.
 */
export function chooseRuns(candidates: readonly Candidate[], running: readonly Running[], slots: number): Candidate[] {
  const perProject = new Map<string | null, number>();
  const perKey = new Map<string, number>();
  const start = ({ projectId, concurrencyKeys }: Running) => {
    add(perProject, projectId);
    for (const { key } of concurrencyKeys) add(perKey, key);
  };
  running.forEach(start);

  const left = [...candidates].sort((a, b) => a.queueAt - b.queueAt);
  const chosen: Candidate[] = [];
  while (chosen.length < slots) {
    let best = -1;
    let fewest = Number.POSITIVE_INFINITY;
    left.forEach((candidate, index) => {
      const count = perProject.get(candidate.projectId) ?? 0;
      const full = candidate.concurrencyKeys.some(({ key, limit }) => (perKey.get(key) ?? 0) >= limit);
      if (!full && count < fewest) {
        best = index;
        fewest = count;
      }
    });
    const [next] = best < 0 ? [] : left.splice(best, 1);
    if (!next) break;
    chosen.push(next);
    start(next);
  }
  return chosen;
}

const add = <K>(counts: Map<K, number>, key: K) => void counts.set(key, (counts.get(key) ?? 0) + 1);
