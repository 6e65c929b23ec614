import type { ContentRecipe } from "@/db/schema/json";
import { isIdentity } from "../otlp/message-text";
import type { Attributes, AttributeValue, LogRecord, SpanEvent, SpanRecord } from "../otlp/types";
import { ITEM_CHARACTERS, type Run, splitText } from "./split-text";

/** A value that was taken out: its parts, and how to rebuild it from them. */
export type Taken = { recipe: ContentRecipe; parts: readonly string[] };
type ContentField = ContentRecipe["in"];
type Form = { form: "text"; runs: (readonly [parts: number, separator: string])[] } | { form: "list" | "value" };

/** What is left of a record, and what was taken out. */
export type Left<Item> = { left: Item; taken: readonly Taken[] };

/** A shorter value stays in the row. */
const VALUE_CHARACTERS = 512;
/** A record with less than this to take out is stored whole: its rows would cost more than they save. */
const RECORD_CHARACTERS = 4_096;

/** Takes long values out of a span, so that what it shares with other spans can be stored once. */
export function takeFromSpan<Span extends Pick<SpanRecord, "attributes" | "events">>(span: Span): Left<Span> {
  if (!isLong([span.attributes, ...span.events.map((event) => event.attributes)])) return { left: span, taken: [] };
  const taken: Taken[] = [];
  const attributes = takeFrom(span.attributes, "attributes", taken);
  const events = span.events.map(
    (event, at): SpanEvent => ({ ...event, attributes: takeFrom(event.attributes, at, taken) }),
  );
  return isWorthIt(taken) ? { left: { ...span, attributes, events }, taken } : { left: span, taken: [] };
}

/** Takes long values out of a log record; see `takeFromSpan`. */
export function takeFromLog<Log extends Pick<LogRecord, "attributes" | "body">>(log: Log): Left<Log> {
  if (!isLong([log.attributes, log.body])) return { left: log, taken: [] };
  const taken: Taken[] = [];
  const attributes = takeFrom(log.attributes, "attributes", taken);
  let body = log.body;
  if (isObject(body)) body = takeFrom(body, "body", taken) as AttributeValue;
  else {
    const value = takeValue(body);
    if (value) {
      taken.push({ recipe: { in: "body", name: null, ...value.form }, parts: value.parts });
      body = null;
    }
  }
  return isWorthIt(taken) ? { left: { ...log, attributes, body }, taken } : { left: log, taken: [] };
}

/** Total characters of the parts. */
export const lengthOf = (taken: readonly Taken[]) => taken.reduce((sum, { parts }) => sum + lengthOfTexts(parts), 0);

const isWorthIt = (taken: readonly Taken[]) => lengthOf(taken) >= RECORD_CHARACTERS;

/** Whether values hold enough text to take out, without measuring more than that. */
function isLong(values: readonly unknown[]): boolean {
  let room = RECORD_CHARACTERS;
  const measure = (value: unknown): boolean => {
    if (typeof value === "string") room -= value.length;
    else if (typeof value === "object" && value !== null) {
      for (const name in value) {
        room -= Array.isArray(value) ? 1 : name.length;
        if (room <= 0 || measure((value as Record<string, unknown>)[name])) return true;
      }
    } else room -= 1;
    return room <= 0;
  };
  return values.some(measure);
}

/** Returns the attributes without the values that were taken. */
function takeFrom(attributes: Attributes, field: ContentField, taken: Taken[]): Attributes {
  const families = familiesOf(attributes);
  const left: Record<string, AttributeValue> = Object.create(null);
  for (const [name, value] of Object.entries(attributes)) {
    if (families.names.has(name)) continue;
    const own = isIdentity(name) ? undefined : takeValue(value);
    if (own) taken.push({ recipe: { in: field, name, ...own.form }, parts: own.parts });
    else left[name] = value;
  }
  for (const { prefix, parts } of families.found)
    taken.push({ recipe: { in: field, name: prefix, form: "family" }, parts });
  return left;
}

function takeValue(value: AttributeValue): { form: Form; parts: readonly string[] } | undefined {
  if (typeof value === "string") {
    if (value.length < VALUE_CHARACTERS) return undefined;
    const runs = splitText(value);
    return { form: { form: "text", runs: runs.map(countedRun) }, parts: runs.flatMap(({ pieces }) => pieces) };
  }
  if (typeof value !== "object" || value === null) return undefined;
  const json = jsonTextOf(value);
  if (json.length < VALUE_CHARACTERS) return undefined;
  return Array.isArray(value) && json.length >= value.length * ITEM_CHARACTERS
    ? { form: { form: "list" }, parts: value.map(jsonTextOf) }
    : { form: { form: "value" }, parts: [json] };
}

const countedRun = ({ pieces, separator }: Run) => [pieces.length, separator] as const;

type Family = { prefix: string; parts: string[] };
const IN_FAMILY = /^(.+?)\.(0|[1-9]\d{0,5})\.(.+)$/s;

/** Finds attributes that are one list, flattened: `prefix.0.…`, `prefix.1.…`, and so on without a gap. */
function familiesOf(attributes: Attributes): { found: Family[]; names: ReadonlySet<string> } {
  type Member = { name: string; rest: string };
  const members = new Map<string, Map<number, Member[]>>();
  for (const name in attributes) {
    const [, prefix, index, rest] = isIdentity(name) ? [] : (IN_FAMILY.exec(name) ?? []);
    if (prefix === undefined || rest === undefined) continue;
    const family = members.get(prefix) ?? new Map<number, Member[]>();
    members.set(prefix, family);
    const item = family.get(Number(index));
    if (item) item.push({ name, rest });
    else family.set(Number(index), [{ name, rest }]);
  }
  const found: Family[] = [];
  const names = new Set<string>();
  for (const [prefix, family] of members) {
    const items = Array.from(family, (_, index) => family.get(index));
    if (items.length < 2 || !items.every((item) => item !== undefined)) continue;
    const parts = items.map((item) =>
      jsonTextOf(inOrder(item).map(({ name, rest }) => [rest, attributes[name] ?? null])),
    );
    if (lengthOfTexts(parts) < VALUE_CHARACTERS) continue;
    found.push({ prefix, parts });
    for (const item of items) for (const { name } of item) names.add(name);
  }
  return { found, names };
}

const inOrder = (members: readonly { name: string; rest: string }[]) =>
  [...members].sort((one, other) => compareNames(one.rest, other.rest));

const lengthOfTexts = (texts: readonly string[]) => texts.reduce((sum, text) => sum + text.length, 0);

/** Returns the JSON of a value with object keys in the order that `jsonb` would give them. */
const jsonTextOf = (value: AttributeValue): string => JSON.stringify(ordered(value));

function ordered(value: AttributeValue): AttributeValue {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isObject(value)) return value;
  const object: Record<string, AttributeValue> = Object.create(null);
  for (const name of Object.keys(value).sort(compareNames)) object[name] = ordered(value[name] ?? null);
  return object;
}

/** `jsonb` orders names by their length in bytes, then by their bytes. */
function compareNames(one: string, other: string): number {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length - b.length || Buffer.compare(a, b);
}

const isObject = (value: AttributeValue): value is { [key: string]: AttributeValue } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
