import { percentile } from "./machine";
import { randomOf } from "./random";

const RESAMPLES = 500;
/** Share of the resampled ratios outside the interval, half of it on each side. */
const OUTSIDE = 0.05;

const quotient = (above: readonly number[][], below: readonly number[][], p: number) =>
  percentile(above.flat(), p) / percentile(below.flat(), p);

/**
 * Returns the ratio of the percentile `p` in the windows `above` to that in `below`, with the 95% interval from a bootstrap
 * over whole windows, because samples within a window are not independent. If the interval contains the bound, the run was
 * too short to decide.
 */
export function ratioOf(above: readonly number[][], below: readonly number[][], p: number) {
  const random = randomOf(1);
  const drawnFrom = (windows: readonly number[][]) =>
    windows.map(() => windows[Math.floor(random() * windows.length)] ?? []);
  const drawn = Array.from({ length: RESAMPLES }, () => quotient(drawnFrom(above), drawnFrom(below), p));
  return {
    ratio: quotient(above, below, p),
    low: percentile(drawn, OUTSIDE / 2),
    high: percentile(drawn, 1 - OUTSIDE / 2),
  };
}
