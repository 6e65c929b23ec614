/** True at most once in `everyMs`: for a log that a thousand failing requests a second would otherwise fill. */
export function seldom(everyMs: number, clock = () => performance.now()) {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock();
    if (now - last < everyMs) return false;
    last = now;
    return true;
  };
}
