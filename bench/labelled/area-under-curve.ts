/** Returns the chance that a positive item scores above a negative one; ties count half. `null` without both kinds. */
export function areaUnderCurve(scored: readonly { positive: boolean; score: number }[]): number | null {
  const sorted = [...scored].sort((a, b) => a.score - b.score);
  const positives = sorted.filter(({ positive }) => positive).length;
  const negatives = sorted.length - positives;
  if (positives === 0 || negatives === 0) return null;
  let rankSum = 0;
  for (let start = 0; start < sorted.length; ) {
    let end = start;
    let ofThem = 0;
    for (; end < sorted.length && sorted[end]!.score === sorted[start]!.score; end++) ofThem += +sorted[end]!.positive;
    rankSum += ((start + 1 + end) / 2) * ofThem;
    start = end;
  }
  return (rankSum - (positives * (positives + 1)) / 2) / (positives * negatives);
}
