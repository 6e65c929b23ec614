import { expect, test } from "vitest";
import { assemble, chat, NOW, spansOf, user } from "../testing/conversations";
import type { SentSpan } from "../testing/encode-otlp";

const run = (attributes: SentSpan["attributes"] = {}, span: SentSpan = {}): SentSpan => ({
  start: NOW + 2000,
  end: NOW + 3000,
  ...span,
  attributes: {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "look",
    "gen_ai.tool.call.arguments": '{"at":"Oslo"}',
    "gen_ai.tool.call.result": "rain",
    ...attributes,
  },
});
const asks = (id: string | null, times = 1): SentSpan => ({
  attributes: chat([user("Weather?")], {
    role: "assistant",
    parts: Array.from({ length: times }, (_, n) => ({
      type: "tool_call",
      ...(id ? { id } : {}),
      name: "look",
      arguments: { at: n === 0 ? "Oslo" : `Oslo ${n}` },
    })),
  }),
});
const id = { "gen_ai.tool.call.id": "c1" };

test.each([
  ["by its id", [asks("c1"), run(id)]],
  ["whose message has no id", [asks(null), run(id)]],
  ["whose span has no id", [asks("c1"), run()]],
  ["whose span is sent again under another id", [asks("c1"), run(id), run(id)]],
])("a tool call %s is one call", (_, spans) => {
  expect(assemble(spansOf(spans)).toolCalls).toHaveLength(1);
});

test.each([
  ["at other times", run(id, { start: NOW + 4000, end: NOW + 5000 })],
  ["with another result", run({ ...id, "gen_ai.tool.call.result": "sun" })],
  ["without an id", run()],
])("a tool run again %s is another call", (_, again) => {
  expect(assemble(spansOf([asks("c1"), run(id), again])).toolCalls).toHaveLength(2);
});

test("a message's call with another id than the span's is another call", () => {
  const { toolCalls } = assemble(spansOf([asks("c2"), run(id)]));
  expect(toolCalls.map(({ callId, requestNumber }) => [callId, requestNumber])).toEqual([
    ["c2", 1],
    ["c1", 0],
  ]);
});

test("of a message's calls those without a span keep their numbers, whichever spans arrive", () => {
  const numbers = (spans: SentSpan[]) => assemble(spansOf(spans)).toolCalls.map(({ requestNumber }) => requestNumber);
  expect(numbers([asks(null, 3)])).toEqual([1, 2, 3]);
  expect(numbers([asks(null, 3), run()])).toEqual([2, 3, 0]);
});
