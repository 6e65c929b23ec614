import fc from "fast-check";
import { expect, test } from "vitest";
import { createAssembler } from "../otlp";
import { SharedItem, sharedListOf } from "../otlp/shared-items";
import type { Attributes, AttributeValue, SpanRecord } from "../otlp/types";
import { chunksOf, partId } from "./content-ids";
import { putIntoLog, putIntoSpan } from "./put-back";
import { splitText } from "./split-text";
import { type Taken, takeFromLog, takeFromSpan } from "./take-content";

const words = (n: number, word = "word") => Array.from({ length: n }, (_, i) => `${word}${i}`).join(" ");
const message = (n: number) => ({ role: n % 2 ? "assistant" : "user", content: `${n}: ${words(60)}` });
const history = (n: number) => Array.from({ length: n }, (_, i) => message(i));
const joined = (text: string) =>
  splitText(text)
    .map(({ pieces, separator }) => pieces.join(separator))
    .join("");
const piecesOf = (text: string) => splitText(text).flatMap(({ pieces }) => pieces);
/** Attributes as loaded from the database: same names and values, whatever their order and prototype. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

/** What was taken, as loaded from the database. */
const loaded = (taken: readonly Taken[]) =>
  taken.map(({ recipe, parts }) => ({ recipe: plain(recipe), items: parts.map((part) => new SharedItem(part)) }));

const spanOf = (attributes: Attributes, events: { name: string; timeUs: number; attributes: Attributes }[] = []) => ({
  attributes,
  events,
});
function roundTrip(span: ReturnType<typeof spanOf>) {
  const { left, taken } = takeFromSpan(span);
  return { left, taken, again: putIntoSpan(plain(left), loaded(taken)) };
}

test("the pieces of any text join to the same text", () => {
  const json = fc.jsonValue({ maxDepth: 6 }).map((value) => JSON.stringify([value, words(200), value], null, 2));
  const broken = fc
    .tuple(json, fc.nat(2_000), fc.string())
    .map(([text, at, noise]) => text.slice(0, at) + noise + text.slice(at));
  fc.assert(fc.property(fc.oneof(fc.string({ maxLength: 4_000 }), json, broken), (text) => joined(text) === text));
});

test.each([
  ["compact", (list: unknown[]) => JSON.stringify(list)],
  ["Python's", (list: unknown[]) => JSON.stringify(list).replaceAll("},{", "}, {")],
  ["indented", (list: unknown[]) => JSON.stringify(list, null, 2)],
  ["in a request", (list: unknown[]) => JSON.stringify({ model: "m", messages: list, tools: history(4) })],
  ["an argument of a call", (list: unknown[]) => JSON.stringify({ args: [[list]], kwargs: {} })],
])("a history that grew by one message has one new piece: %s", (_, write) => {
  const known = new Set(piecesOf(write(history(20))));
  const grown = piecesOf(write(history(21)));
  expect(grown.filter((piece) => !known.has(piece))).toHaveLength(1);
});

test("a transcript that grew has the same pieces except the last", () => {
  const lines = (n: number) =>
    history(n)
      .map(({ role, content }) => `${role}: ${content}\n`)
      .join("");
  const known = piecesOf(lines(40));
  expect(known.length).toBeGreaterThan(5);
  expect(piecesOf(lines(41)).slice(0, known.length - 1)).toEqual(known.slice(0, -1));
});

test("a list of numbers is not split", () => {
  expect(piecesOf(JSON.stringify(Array.from({ length: 2_000 }, (_, n) => n / 7)))).toHaveLength(1);
});

test("lists that differ at the start share the chunks of their ends", () => {
  const ids = Array.from({ length: 400 }, (_, n) => partId("prj_1", `${n}`));
  const whole = chunksOf(ids).map(String);
  const later = chunksOf(ids.slice(7)).map(String);
  expect(later.filter((chunk) => !whole.includes(chunk)).length).toBeLessThanOrEqual(1);
  expect(whole.length).toBeGreaterThan(10);
});

test("the same content has different ids in two projects", () => {
  expect(partId("prj_1", "a")).not.toBe(partId("prj_2", "a"));
});

const flattened = (n: number): Attributes =>
  Object.assign(
    {},
    ...history(n).map(({ role, content }, i) => ({
      [`llm.input_messages.${i}.message.role`]: role,
      [`llm.input_messages.${i}.message.content`]: content,
    })),
  );

test.each<[string, Attributes]>([
  ["JSON text", { "gen_ai.input.messages": JSON.stringify(history(30)) }],
  ["a structured list", { "gen_ai.input.messages": history(30) }],
  ["a structured request", { request: { messages: history(30), model: "m" } }],
  ["flattened", flattened(30)],
])("a span's history is taken out and put back: %s", (_, history) => {
  const span = spanOf({ ...history, "gen_ai.request.model": "m" });
  const { left, taken, again } = roundTrip(span);
  expect(left.attributes).toEqual({ "gen_ai.request.model": "m" });
  expect(taken.length).toBe(1);
  expect(plain(again)).toEqual(span);
});

test("any attributes are restored unchanged, including hostile names", () => {
  const name = fc.oneof(
    fc.constantFrom(
      "__proto__",
      "constructor",
      "a.0.b",
      "a.1.b",
      "a.1.__proto__",
      "a.01.b",
      "a.9999999.b",
      "session.id",
      "a.0.0.c",
    ),
    fc.string(),
  );
  const long = fc.oneof(fc.constant(words(400)), fc.constant(JSON.stringify(history(12))), fc.constant(history(12)));
  const value = fc.oneof(fc.jsonValue(), long) as fc.Arbitrary<AttributeValue>;
  const attributes = fc
    .array(fc.tuple(name, value), { maxLength: 12 })
    .map((entries) => Object.assign(Object.create(null), ...entries.map(([n, v]) => own(n, v))) as Attributes);
  const event = fc.record({ name: fc.string(), timeUs: fc.nat(), attributes });
  fc.assert(
    fc.property(attributes, fc.array(event, { maxLength: 3 }), (given, events) => {
      const span = spanOf(given, events);
      expect(plain(roundTrip(span).again)).toEqual(plain(span));
      const log = { attributes: given, body: (events[0]?.attributes ?? words(900)) as AttributeValue };
      const { left, taken } = takeFromLog(log);
      expect(plain(putIntoLog(plain(left), loaded(taken)))).toEqual(plain(log));
    }),
  );
});

const own = (name: string, value: AttributeValue) =>
  Object.defineProperty(Object.create(null), name, { value, enumerable: true, configurable: true, writable: true });

test("a session id stays in the row however long it is, and a short span is left unchanged", () => {
  const session = words(500);
  const { left, taken } = takeFromSpan(spanOf({ "session.id": session, "input.value": words(1_000) }));
  expect(left.attributes).toEqual({ "session.id": session });
  expect(taken).toHaveLength(1);
  const short = spanOf({ "input.value": words(300) });
  expect(takeFromSpan(short)).toEqual({ left: short, taken: [] });
});

const spanSending = (attributes: Attributes): SpanRecord => ({
  traceId: "a".repeat(32),
  spanId: "b".repeat(16),
  parentSpanId: null,
  name: "chat",
  kind: 1,
  scope: { name: "test", version: "1" },
  resource: {},
  attributes: { "gen_ai.operation.name": "chat", ...attributes },
  events: [],
  status: { code: 0, message: null },
  startedUs: 1,
  endedUs: 2,
  arrival: 0,
});
function conversationOf(...spans: SpanRecord[]) {
  const assembler = createAssembler();
  for (const span of spans) assembler.add(span, []);
  return assembler.finish();
}

/** Generates a list of items as clients send messages: whole messages, parts, and things that are neither. */
function anyList() {
  const text = fc.constantFrom("short", words(100), '\\u0000 \u00e9 "quoted"', "");
  const role = fc.constantFrom("system", "user", "assistant", "tool", "model", "nobody");
  const call = fc.record({
    id: fc.constantFrom("c1", "c2"),
    type: fc.constant("function"),
    function: fc.record({ name: text, arguments: text }),
  });
  const part = fc.oneof(
    fc.record({ type: fc.constantFrom("text", "reasoning"), content: text, text }),
    fc.record({ type: fc.constant("tool_call"), id: text, name: text, arguments: text }),
    fc.record({ type: fc.constant("tool_call_response"), id: text, response: text }),
  );
  const item = fc.oneof(
    { weight: 4, arbitrary: fc.record({ role, content: text }) },
    fc.record({ role, content: fc.array(part, { maxLength: 3 }) }),
    fc.record({ role, parts: fc.array(part, { maxLength: 3 }) }),
    fc.record({
      role: fc.constant("assistant"),
      content: fc.constant(null),
      tool_calls: fc.array(call, { maxLength: 2 }),
    }),
    fc.record({ type: fc.constant("reasoning"), summary: text }),
    fc.record({ message: fc.record({ role, content: text }) }),
    part,
    text,
    fc.constantFrom<unknown>(null, 7, []),
  );
  return fc.array(item, { minLength: 2, maxLength: 14 }) as fc.Arbitrary<AttributeValue[]>;
}

/**
 * Expects that a span's shared items, new and already read, read the same as its attributes; returns whether the attribute is a
 * shared list.
 */
function isReadByItems(span: SpanRecord, name: string): boolean {
  const { left, taken } = takeFromSpan(span);
  const again = putIntoSpan(left, loaded(taken));
  // Copied attributes are not associated with shared items.
  const whole = { ...span, attributes: { ...again.attributes } };
  expect(conversationOf(again)).toEqual(conversationOf(whole));
  const items = loaded(taken);
  const twice = [putIntoSpan(left, items), { ...putIntoSpan(left, items), spanId: "c".repeat(16) }];
  expect(conversationOf(...twice)).toEqual(conversationOf(whole, { ...whole, spanId: "c".repeat(16) }));
  return sharedListOf(again.attributes, name) !== undefined;
}

const LONG = { role: "user", content: words(1_000) };

test("a history read from its shared items equals the whole history, also when read twice", () => {
  const form = fc.constantFrom<(list: AttributeValue[]) => AttributeValue>(
    (list) => JSON.stringify(list),
    (list) => JSON.stringify(list, null, 2),
    (list) => list,
  );
  const name = fc.constantFrom("gen_ai.input.messages", "gen_ai.prompt", "input.value", "pydantic_ai.all_messages");
  let shared = 0;
  fc.assert(
    fc.property(anyList(), form, name, (list, write, name) => {
      // Long enough to be taken out of the row, which makes the items shared.
      if (isReadByItems(spanSending({ [name]: write([...list, LONG]) }), name)) shared += 1;
    }),
    { numRuns: 400 },
  );
  expect(shared).toBeGreaterThan(100);
});

test("a flattened history read from its shared items equals the whole history, also when read twice", () => {
  const flatten = (path: string, value: AttributeValue): [string, AttributeValue][] =>
    typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([name, one]) => flatten(`${path}.${name}`, one as AttributeValue))
      : [[path, value]];
  const prefix = fc.constantFrom("llm.input_messages", "gen_ai.prompt");
  const extra = fc.constantFrom<Attributes>({}, {}, { "gen_ai.prompt.role": "user" }, { "llm.input_messages.x": 1 });
  let shared = 0;
  fc.assert(
    fc.property(anyList(), prefix, fc.boolean(), extra, (list, prefix, wrapped, extra) => {
      const items = [...list, LONG].map((item) => (wrapped ? { message: item } : item)) as AttributeValue[];
      const attributes = { ...extra, ...Object.fromEntries(flatten(prefix, items)) };
      if (isReadByItems(spanSending(attributes), `${prefix}.`)) shared += 1;
    }),
    { numRuns: 400 },
  );
  expect(shared).toBeGreaterThan(40);
});

test("a call is read without building its history's attribute", () => {
  const name = "gen_ai.input.messages";
  const { left, taken } = takeFromSpan(
    spanSending({ [name]: JSON.stringify(history(40)), "gen_ai.operation.name": "chat" }),
  );
  const span = putIntoSpan(left, loaded(taken));
  expect(conversationOf(span).messages).toHaveLength(40);
  expect(Object.getOwnPropertyDescriptor(span.attributes, name)?.get).toBeDefined();
});
