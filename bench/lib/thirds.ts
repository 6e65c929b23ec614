/** A measured value and its time, on any monotonic clock. */
export type Sample = { at: number; value: number };

/**
 * Returns the values of the first and the last third of the time that remains after the share `warmUp` is cut off. Unbounded
 * growth shows between the two; what settles does not.
 */
export function thirdsOf(samples: readonly Sample[], warmUp: number): { first: number[]; last: number[] } {
  const times = samples.map(({ at }) => at);
  const [begin, end] = [Math.min(...times), Math.max(...times)];
  const from = begin + (end - begin) * warmUp;
  const third = (end - from) / 3;
  const between = (a: number, b: number) => samples.filter(({ at }) => at >= a && at <= b).map(({ value }) => value);
  return { first: between(from, from + third), last: between(end - third, end) };
}
