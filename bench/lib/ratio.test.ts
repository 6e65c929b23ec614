import { expect, test } from "vitest";
import { randomOf } from "./random";
import { ratioOf } from "./ratio";

/** Returns windows of response times of about `ms`. */
function windows(ms: number, count: number, seed: number) {
  const random = randomOf(seed);
  return Array.from({ length: count }, () => Array.from({ length: 12 }, () => ms * (0.5 + random())));
}

test("the interval of a ratio contains the true ratio and narrows with the length of the run", () => {
  const short = ratioOf(windows(12, 10, 1), windows(10, 10, 2), 0.95);
  const long = ratioOf(windows(12, 200, 3), windows(10, 200, 4), 0.95);
  for (const { low, ratio, high } of [short, long]) {
    expect(low).toBeLessThan(1.2);
    expect(high).toBeGreaterThan(1.2);
    expect(ratio).toBeGreaterThanOrEqual(low);
    expect(ratio).toBeLessThanOrEqual(high);
  }
  expect(long.high - long.low).toBeLessThan((short.high - short.low) / 2);
});

test("identical windows have a ratio of one", () => {
  const alike = windows(10, 20, 5);
  expect(ratioOf(alike, alike, 0.95)).toMatchObject({ ratio: 1 });
});
