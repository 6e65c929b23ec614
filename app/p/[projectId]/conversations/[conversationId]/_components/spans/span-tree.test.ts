import { expect, test } from "vitest";
import { extentOf, placeSpans } from "./span-tree";

const span = (spanId: string, parentSpanId: string | null, startedAt = 0, endedAt = startedAt + 1) => ({
  spanId,
  parentSpanId,
  startedAt,
  endedAt,
});
const shape = (spans: ReturnType<typeof span>[]) =>
  placeSpans(spans).map(({ span: { spanId }, depth }) => `${"-".repeat(depth)}${spanId}`);

test("children follow their parents in order of start time", () => {
  expect(shape([span("b", "a", 5), span("a", null, 0), span("c", "a", 2), span("d", "c", 3)])).toEqual([
    "a",
    "-c",
    "--d",
    "-b",
  ]);
});
test("a span whose parent never arrived is a root", () => {
  expect(shape([span("x", "missing", 1), span("a", null, 0)])).toEqual(["a", "x"]);
});
test("spans in a cycle and spans that are their own parent are still shown", () => {
  expect(shape([span("a", "b"), span("b", "a"), span("c", "c", 9)]).sort()).toEqual(["a", "b", "c"]);
});
test("a chain of 20,000 spans is placed", () => {
  const chain = Array.from({ length: 20_000 }, (_, i) => span(`s${i}`, i === 0 ? null : `s${i - 1}`, i));
  expect(placeSpans(chain).at(-1)?.depth).toBe(19_999);
  expect(extentOf(chain)).toEqual({ start: 0, end: 20_000 });
});
