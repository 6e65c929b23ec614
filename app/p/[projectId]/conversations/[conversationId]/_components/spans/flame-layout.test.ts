import { expect, test } from "vitest";
import { drawnBars, flameLanes } from "./flame-layout";
import { placeSpans } from "./span-tree";

const span = (spanId: string, parentSpanId: string | null, startedAt: number, endedAt: number) => ({
  spanId,
  parentSpanId,
  startedAt,
  endedAt,
});
const lanesOf = (spans: ReturnType<typeof span>[]) => {
  const placed = placeSpans(spans);
  return flameLanes(placed).map((lane) => lane.map(({ position }) => placed[position]!.span.spanId).join(" "));
};

test("a span is below its parent, and spans that overlap are in different lanes", () => {
  expect(
    lanesOf([
      span("root", null, 0, 100),
      span("first", "root", 0, 40),
      span("inner", "first", 10, 20),
      span("beside", "root", 20, 60),
      span("after", "root", 60, 90),
    ]),
  ).toEqual(["root", "first after", "inner beside"]);
});

test("a child that seems to start before its parent is still below it", () => {
  expect(lanesOf([span("root", null, 10, 100), span("early", "root", 5, 20)])).toEqual(["root", "early"]);
});

test("neighbours too narrow to tell apart are one bar, and what is outside the range is not drawn", () => {
  const lane = [
    ...Array.from({ length: 1000 }, (_, n) => ({ position: n, start: n, end: n + 1 })),
    { position: 1000, start: 5000, end: 9000 },
  ];
  const drawn = drawnBars(lane, 0, 10_000, 1000);
  expect(drawn.length).toBeLessThan(60);
  expect(drawn.flatMap(({ positions }) => positions)).toHaveLength(1001);
  expect(drawn.at(-1)).toEqual({ positions: [1000], left: 500, width: 400 });
  expect(drawnBars(lane, 6000, 8000, 1000)).toEqual([{ positions: [1000], left: 0, width: 1000 }]);
});
