import { expect, test } from "vitest";
import { assemble, idOf, NOW, spansOf } from "../testing/conversations";
import type { SentSpan } from "../testing/encode-otlp";

const tool = (name: string, span: SentSpan): SentSpan => ({
  start: NOW,
  end: NOW + 1,
  ...span,
  attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name },
});
const namesOf = (spans: Parameters<typeof assemble>[0]) => assemble(spans).toolCalls.map(({ name }) => name);

test("spans that start together keep their order of arrival, whatever their ids and ends", () => {
  const spans = spansOf([
    tool("first", { spanId: idOf(9) }),
    tool("second", { spanId: idOf(5), end: NOW + 900 }),
    tool("third", { spanId: idOf(7) }),
  ]);
  expect(namesOf(spans)).toEqual(["first", "second", "third"]);
  expect(namesOf([...spans].reverse())).toEqual(["first", "second", "third"]);
});

test("a span comes before those inside that start with it, though it arrives after them", () => {
  const spans = spansOf([
    tool("inner", { spanId: idOf(1), parentSpanId: idOf(2) }),
    tool("outer", { spanId: idOf(2), end: NOW + 900 }),
  ]);
  expect(namesOf(spans)).toEqual(["outer", "inner"]);
});

test("spans microseconds apart are in order of time", () => {
  expect(namesOf(spansOf([tool("later", { start: NOW + 0.002 }), tool("earlier", { start: NOW + 0.001 })]))).toEqual([
    "earlier",
    "later",
  ]);
});

test("a cycle of parents ends", () => {
  const spans = spansOf([
    tool("one", { spanId: idOf(1), parentSpanId: idOf(2) }),
    tool("two", { spanId: idOf(2), parentSpanId: idOf(1) }),
  ]);
  expect(namesOf(spans)).toHaveLength(2);
});
