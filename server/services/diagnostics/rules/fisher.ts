/** Tables as likely as the given one count too, however their probability was rounded. */
const ROUNDING = 1 + 1e-9;

/** Logarithms of the factorials of 0 to `n`. */
function logFactorials(n: number): Float64Array {
  const logs = new Float64Array(n + 1);
  for (let k = 2; k <= n; k++) logs[k] = (logs[k - 1] ?? 0) + Math.log(k);
  return logs;
}

/**
 * Returns a test of whether two groups of fixed sizes differ in a share: Fisher's exact test, two-sided, as the sum of the
 * probabilities of all tables that are no more likely than the given one.
 */
export function fisherTest(firstSize: number, secondSize: number) {
  const all = firstSize + secondSize;
  const logs = logFactorials(all);
  const log = (n: number) => logs[n] ?? 0;
  const choose = (n: number, k: number) => log(n) - log(k) - log(n - k);
  return (first: number, second: number): number => {
    const having = first + second;
    const probability = (k: number) =>
      Math.exp(choose(firstSize, k) + choose(secondSize, having - k) - choose(all, having));
    const given = probability(first) * ROUNDING;
    let p = 0;
    for (let k = Math.max(0, having - secondSize); k <= Math.min(firstSize, having); k++) {
      const one = probability(k);
      if (one <= given) p += one;
    }
    return Math.min(1, p);
  };
}
