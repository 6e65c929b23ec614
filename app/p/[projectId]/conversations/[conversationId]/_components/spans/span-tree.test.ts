import { expect, test } from "vitest";
import { callSums, extentOf, idsAbove, placeSpans, repeatsIn, spansWith, sumOf, unfolded } from "./span-tree";

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
test("spans below a folded one are hidden, and a hidden one's ancestors are known", () => {
  const placed = placeSpans([
    span("a", null),
    span("b", "a", 1),
    span("c", "b", 2),
    span("d", "a", 3),
    span("e", null, 9),
  ]);
  const shown = (...folded: string[]) => unfolded(placed, new Set(folded)).map((at) => placed[at]!.span.spanId);
  expect(shown()).toEqual(["a", "b", "c", "d", "e"]);
  expect(shown("b")).toEqual(["a", "b", "d", "e"]);
  expect(shown("a", "b")).toEqual(["a", "e"]);
  expect(idsAbove(placed, 2)).toEqual(["b", "a"]);
});

test("four or more equal siblings in a row are one row until they are opened", () => {
  const named = (spanId: string, name: string, at: number, status = "ok", parent: string | null = "root") => ({
    ...span(spanId, parent, at),
    ...{ name, type: "tool", status, model: null },
  });
  const placed = placeSpans([
    named("root", "agent", 0, "ok", null),
    ...[1, 2, 3, 4, 5].map((at) => named(`s${at}`, "search", at)),
    named("failed", "search", 6, "error"),
    ...[7, 8, 9].map((at) => named(`t${at}`, "search", at)),
    ...[10, 11, 12, 13].map((at) => named(`u${at}`, "step", at)),
    named("below", "search", 14, "ok", "u12"),
  ]);
  const repeats = repeatsIn(placed);
  const idOf = (at: number) => placed[at]!.span.spanId;
  expect([...repeats].map(([first, count]) => [idOf(first), count])).toEqual([["s1", 5]]);
  const shown = (closed: ReadonlyMap<number, number>) => unfolded(placed, new Set(), closed).map(idOf);
  expect(shown(repeats)).toEqual(["root", "s1", "failed", "t7", "t8", "t9", "u10", "u11", "u12", "below", "u13"]);
  expect(shown(new Map())).toHaveLength(placed.length);
});

const call = (
  spanId: string,
  parentSpanId: string | null,
  usage: Record<string, number> | null,
  cost: number | null,
) => ({
  ...span(spanId, parentSpanId),
  ...{ counted: true, usage, cost, name: "chat", type: "llm", model: "gpt-4o", words: `Words of ${spanId}` },
});
const step = (spanId: string, parentSpanId: string | null) => ({
  ...call(spanId, parentSpanId, null, null),
  ...{ counted: false, name: "step", type: "chain", model: null, words: null },
});

test("a span's sum covers the calls below it, and says how many have no price", () => {
  const sums = callSums(
    placeSpans([
      step("a", null),
      call("b", "a", { input_tokens: 10, output_tokens: 5 }, 0.25),
      step("c", "a"),
      call("d", "c", null, null),
      step("e", null),
    ]),
  );
  expect(sums).toEqual([
    { calls: 2, tokens: 15, cost: 0.25, unpriced: 1 },
    { calls: 1, tokens: 15, cost: 0.25, unpriced: 0 },
    { calls: 1, tokens: null, cost: null, unpriced: 1 },
    { calls: 1, tokens: null, cost: null, unpriced: 1 },
    null,
  ]);
});

test("repeats that are shown as one have the sum of their calls", () => {
  const sums = callSums(
    placeSpans([call("a", null, { input_tokens: 10 }, 0.5), call("b", null, { input_tokens: 5 }, null)]),
  );
  expect(sumOf(sums, 0, 2)).toEqual({ calls: 2, tokens: 15, cost: 0.5, unpriced: 1 });
  expect(sumOf([null, null], 0, 2)).toBeNull();
});

test("spans are found by name, type, model, first words and id", () => {
  const placed = placeSpans([step("a", null), call("b", "a", null, null)]);
  const found = (text: string) => spansWith(placed, text).map((at) => placed[at]!.span.spanId);
  expect(found("STEP")).toEqual(["a"]);
  expect(found(" words of b")).toEqual(["b"]);
  expect(found("gpt-4")).toEqual(["b"]);
  expect(found("llm")).toEqual(["b"]);
  expect(found("a")).toEqual(["a", "b"]);
  expect(found(" ")).toEqual([]);
});
