/** Something that was measured, and when: any clock that does not jump. */
export type Sample = { at: number; value: number };

/**
 * The values of the first and of the last third of the time that is left when the first `warmUp` (a share of the whole) is
 * taken away. What grows without end shows between the two; what settles does not.
 */
export function thirdsOf(samples: readonly Sample[], warmUp: number): { first: number[]; last: number[] } {
  const times = samples.map(({ at }) => at);
  const [begin, end] = [Math.min(...times), Math.max(...times)];
  const from = begin + (end - begin) * warmUp;
  const third = (end - from) / 3;
  const between = (a: number, b: number) => samples.filter(({ at }) => at >= a && at <= b).map(({ value }) => value);
  return { first: between(from, from + third), last: between(end - third, end) };
}
