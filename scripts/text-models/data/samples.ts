import type { Example } from "../train";

/** Keeps every `n`th example. */
export const everyNth = (examples: readonly Example[], n: number): Example[] =>
  examples.filter((_, at) => at % n === 0);

/** Keeps at most `most` examples of each label in each group. */
export function perGroup(examples: readonly Example[], most: number): Example[] {
  const counts = new Map<string, number>();
  return examples.filter(({ group, positive }) => {
    const key = `${positive} ${group}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count <= most;
  });
}
