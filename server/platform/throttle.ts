/** Returns a function that is true at most once per `everyMs`: keeps a thousand failing requests a second from filling the log. */
export function throttle(everyMs: number, clock = () => performance.now()) {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock();
    if (now - last < everyMs) return false;
    last = now;
    return true;
  };
}
