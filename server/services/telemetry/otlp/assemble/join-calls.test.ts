import { expect, test } from "vitest";
import { assemble, chat, idOf, NOW, spansOf, transcriptOf, user } from "../testing/conversations";
import type { SentSpan } from "../testing/encode-otlp";

const usage = (input: number, output: number) => ({
  "gen_ai.usage.input_tokens": input,
  "gen_ai.usage.output_tokens": output,
});
const call = (attributes: SentSpan["attributes"], span: SentSpan = {}): SentSpan => ({
  ...span,
  attributes: { "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4o", ...attributes },
});
const inside = (attributes: SentSpan["attributes"], span: SentSpan = {}) =>
  call(attributes, { parentSpanId: idOf(1), ...span });

/** Returns the calls' spans and input tokens. */
const read = (spans: readonly SentSpan[], from: readonly SentSpan[] = []) => {
  const conversation = assemble([...spansOf(spans), ...(from.length > 0 ? spansOf(from, { scope: "other" }) : [])]);
  return conversation.modelCalls.map(({ spanId, usage: of }) => [spanId, of?.input_tokens ?? null]);
};

test("three calls inside one keep their own figures", () => {
  expect(
    read([
      call(usage(600, 60), { end: NOW + 9000 }),
      inside(usage(100, 10)),
      inside(usage(200, 20)),
      inside(usage(300, 30)),
    ]),
  ).toEqual([
    [idOf(2), 100],
    [idOf(3), 200],
    [idOf(4), 300],
  ]);
});

test("figures of a wrapper that are neither a sum nor those of a call are ignored", () => {
  expect(read([call(usage(777, 7), { end: NOW + 9000 }), inside(usage(100, 10)), inside(usage(200, 20))])).toEqual([
    [idOf(2), 100],
    [idOf(3), 200],
  ]);
});

test("wrappers in wrappers add nothing", () => {
  expect(
    read([
      call(usage(300, 30), { end: NOW + 9000 }),
      inside(usage(300, 30), { end: NOW + 8000 }),
      inside(usage(100, 10), { parentSpanId: idOf(2) }),
      inside(usage(200, 20), { parentSpanId: idOf(2) }),
    ]),
  ).toEqual([
    [idOf(3), 100],
    [idOf(4), 200],
  ]);
});

test("a wrapper's figures count when no call inside has any", () => {
  expect(read([call(usage(300, 30), { end: NOW + 9000 }), inside({}), inside({})])).toEqual([
    [idOf(2), null],
    [idOf(3), 300],
  ]);
});

test("the figures of an outer wrapper count when nothing inside has any", () => {
  expect(
    read([
      call(usage(300, 30), { end: NOW + 9000 }),
      inside({}, { end: NOW + 8000 }),
      inside({}, { parentSpanId: idOf(2) }),
      inside({}, { parentSpanId: idOf(2) }),
    ]),
  ).toEqual([
    [idOf(3), null],
    [idOf(4), 300],
  ]);
});

test("a call without figures beside one that has them stays unknown", () => {
  expect(read([call(usage(300, 30), { end: NOW + 9000 }), inside(usage(100, 10)), inside({})])).toEqual([
    [idOf(2), 100],
    [idOf(3), null],
  ]);
});

test("a wrapper of one call whose figures differ does not replace the call's", () => {
  expect(read([call(usage(500, 50), { end: NOW + 9000 }), inside(usage(100, 10))])).toEqual([[idOf(2), 100]]);
});

test("two reports of one call inside a wrapper are one call", () => {
  const times = { start: NOW + 1000, end: NOW + 2000 };
  const id = { "gen_ai.response.id": "r1" };
  const twin = inside({ ...usage(100, 10), ...id }, { ...times, spanId: idOf(3) });
  expect(
    read([call(usage(100, 10), { end: NOW + 9000 }), inside({ ...usage(100, 10), ...id }, times)], [twin]),
  ).toEqual([[expect.any(String), 100]]);
});

test("the messages of a wrapper are those of calls that have none", () => {
  const conversation = assemble(
    spansOf([
      { attributes: chat([user("Hi")], "Hello!", usage(300, 30)), end: NOW + 9000 },
      inside(usage(100, 10)),
      inside(usage(200, 20)),
    ]),
  );
  expect(transcriptOf(conversation)).toEqual(["user: Hi", "assistant: Hello!"]);
  expect(conversation.modelCalls.map(({ usage: of }) => of?.input_tokens)).toEqual([100, 200]);
});

const sent = (more: SentSpan = {}, attributes: SentSpan["attributes"] = {}): SentSpan => ({
  start: NOW,
  end: NOW + 500,
  ...more,
  attributes: chat([user("Hi")], "Hello!", { "gen_ai.response.id": "r1", ...usage(100, 10), ...attributes }),
});

test.each([
  ["three times", [sent(), sent(), sent()]],
  ["in two traces", [sent(), sent({ traceId: idOf(9, 16) })]],
  ["with times rounded to milliseconds", [sent({ start: NOW + 0.4, end: NOW + 500.9 }), sent()]],
])("a call sent %s under other span ids counts once", (_, spans) => {
  expect(read(spans)).toEqual([[expect.any(String), 100]]);
});

test.each([
  ["at another time", sent({ start: NOW + 600, end: NOW + 1100 })],
  ["with another response", sent({}, { "gen_ai.output.messages": '[{"role":"assistant","content":"Bye!"}]' })],
  ["with other figures", sent({}, usage(90, 10))],
  ["with another id", sent({}, { "gen_ai.response.id": "r2" })],
])("a call like another, %s, is another call", (_, span) => {
  expect(read([sent(), span])).toHaveLength(2);
});
