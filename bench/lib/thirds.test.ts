import { expect, test } from "vitest";
import { percentile } from "./machine";
import { thirdsOf } from "./thirds";

const over = (value: (at: number) => number) => Array.from({ length: 1001 }, (_, at) => ({ at, value: value(at) }));
const medians = (value: (at: number) => number) => {
  const { first, last } = thirdsOf(over(value), 0.1);
  return [percentile(first, 0.5), percentile(last, 0.5)] as const;
};

test("a series that settles in the warm-up is flat, and growth by a fifth is detected", () => {
  expect(medians((at) => (at < 90 ? 0 : 100))).toEqual([100, 100]);
  const [first, last] = medians((at) => 100 + at / 25);
  expect(last / first).toBeGreaterThan(1.2);
});

test("each third contains its own samples, whatever the clock's origin", () => {
  const { first, last } = thirdsOf(
    over((at) => at).map(({ at, value }) => ({ at: at + 5e9, value })),
    0.1,
  );
  expect([first[0], first.at(-1), last[0], last.at(-1)]).toEqual([100, 400, 700, 1000]);
});
