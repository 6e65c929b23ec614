import fc from "fast-check";
import { expect, test } from "vitest";
import type { Attributes, AttributeValue } from "../otlp/types";
import { chunksOf, partId } from "./content-ids";
import { putIntoLog, putIntoSpan } from "./put-back";
import { splitText } from "./split-text";
import { takeFromLog, takeFromSpan } from "./take-content";

const words = (n: number, word = "word") => Array.from({ length: n }, (_, i) => `${word}${i}`).join(" ");
const message = (n: number) => ({ role: n % 2 ? "assistant" : "user", content: `${n}: ${words(60)}` });
const history = (n: number) => Array.from({ length: n }, (_, i) => message(i));
const joined = (text: string) =>
  splitText(text)
    .map(({ pieces, separator }) => pieces.join(separator))
    .join("");
const piecesOf = (text: string) => splitText(text).flatMap(({ pieces }) => pieces);
/** Attributes as they come out of the database: same names and values, whatever their order and prototype. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

const spanOf = (attributes: Attributes, events: { name: string; timeUs: number; attributes: Attributes }[] = []) => ({
  attributes,
  events,
});
function roundTrip(span: ReturnType<typeof spanOf>) {
  const { left, taken } = takeFromSpan(span);
  return { left, taken, again: putIntoSpan(plain(left), plain(taken)) };
}

test("a text is the pieces it was split into, whatever it holds", () => {
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

test("a transcript that grew has the same pieces up to its last", () => {
  const lines = (n: number) =>
    history(n)
      .map(({ role, content }) => `${role}: ${content}\n`)
      .join("");
  const known = piecesOf(lines(40));
  expect(known.length).toBeGreaterThan(5);
  expect(piecesOf(lines(41)).slice(0, known.length - 1)).toEqual(known.slice(0, -1));
});

test("numbers are not split", () => {
  expect(piecesOf(JSON.stringify(Array.from({ length: 2_000 }, (_, n) => n / 7)))).toHaveLength(1);
});

test("lists that differ in front share the chunks of their end", () => {
  const ids = Array.from({ length: 400 }, (_, n) => partId("prj_1", `${n}`));
  const whole = chunksOf(ids).map(String);
  const later = chunksOf(ids.slice(7)).map(String);
  expect(later.filter((chunk) => !whole.includes(chunk)).length).toBeLessThanOrEqual(1);
  expect(whole.length).toBeGreaterThan(10);
});

test("two projects have no id in common", () => {
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

test("any attributes come back as they were, hostile names among them", () => {
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
      expect(plain(putIntoLog(plain(left), plain(taken)))).toEqual(plain(log));
    }),
  );
});

const own = (name: string, value: AttributeValue) =>
  Object.defineProperty(Object.create(null), name, { value, enumerable: true, configurable: true, writable: true });

test("ids of people and sessions stay in the row, however long, and short spans are left alone", () => {
  const session = words(500);
  const { left, taken } = takeFromSpan(spanOf({ "session.id": session, "input.value": words(1_000) }));
  expect(left.attributes).toEqual({ "session.id": session });
  expect(taken).toHaveLength(1);
  const short = spanOf({ "input.value": words(300) });
  expect(takeFromSpan(short)).toEqual({ left: short, taken: [] });
});
