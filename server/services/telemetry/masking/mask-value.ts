import type { AttributeValue } from "../otlp/types";
import { isPlaceholder, maskOf, maskText, namesSecret, type Tally } from "./mask-text";
import { isStoredHeader, meaningOf } from "./secret-names";

/** Deeper JSON text is masked as plain text: a walk through it has to end. */
const MAX_JSON_DEPTH = 64;
class TooDeep extends Error {}

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const emptied = (): Json => Object.create(null);

/** A value in which secrets are masked: the same one where there are none. Text that is JSON is looked into by its names. */
export function maskValue(value: AttributeValue, tally: Tally): AttributeValue {
  return within(value, tally, 0) as AttributeValue;
}

/** The same of a value that has a name; `undefined` where nothing of it is to be stored. */
export function maskField(name: string, value: AttributeValue, tally: Tally): AttributeValue | undefined {
  return field(name, value, tally, 0) as AttributeValue | undefined;
}

function field(name: string, value: unknown, tally: Tally, depth: number): unknown {
  switch (meaningOf(name)) {
    case "headers":
      return headers(value, tally, depth);
    case "unstored header":
      tally.masked++;
      return undefined;
    case "secret":
      return whole(value, tally);
    case "plain":
      return within(value, tally, depth);
  }
}

function within(value: unknown, tally: Tally, depth: number): unknown {
  if (typeof value === "string") return text(value, tally, depth);
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_JSON_DEPTH) throw new TooDeep();
  if (Array.isArray(value)) return changedItems(value, (item) => within(item, tally, depth + 1));
  return changedFields(value as Json, (name, inner) => field(name, inner, tally, depth + 1));
}

/** All that stands under a secret's name. Numbers can be passwords too; what is on or off, or absent, is none. */
function whole(value: unknown, tally: Tally): unknown {
  if (typeof value === "string" || typeof value === "number") {
    if (isPlaceholder(String(value))) return value;
    tally.masked++;
    return maskOf("value");
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return changedItems(value, (item) => whole(item, tally));
  return changedFields(value as Json, (_, inner) => whole(inner, tally));
}

/** Of many headers, those that are on the list. A list of pairs, or text that is no JSON, is not looked into and goes. */
function headers(value: unknown, tally: Tally, depth: number): unknown {
  if (isObject(value)) {
    return changedFields(value, (name, inner) => {
      if (isStoredHeader(name)) return within(inner, tally, depth + 1);
      tally.masked++;
      return undefined;
    });
  }
  if (typeof value === "string") {
    const parsed = parsedObject(value);
    if (parsed) {
      const stored = headers(parsed, tally, depth);
      return stored === parsed ? value : JSON.stringify(stored);
    }
    if (isPlaceholder(value)) return value;
  }
  if (value === null || typeof value === "boolean") return value;
  tally.masked++;
  return undefined;
}

function text(value: string, tally: Tally, depth: number): string {
  const parsed = isWorthReading(value) ? parsedJson(value) : undefined;
  if (parsed === undefined) return maskText(value, tally);
  // Counted apart: what is found before it turns out to be too deep is found again.
  const found = { masked: 0 };
  try {
    const masked = within(parsed, found, depth + 1);
    tally.masked += found.masked;
    return masked === parsed ? value : JSON.stringify(masked);
  } catch (error) {
    if (!(error instanceof TooDeep || error instanceof RangeError)) throw error;
    return maskText(value, tally);
  }
}

const LIKE_JSON = /^\s{0,100}[[{]/;
/** Text alone would do for most JSON: not for headers among it, nor for an address with its slashes escaped. */
const isWorthReading = (sent: string) => LIKE_JSON.test(sent) && (namesSecret(sent) || sent.includes(":\\/\\/"));

/** JSON text of a list or an object, as its value. */
function parsedJson(sent: string): object | undefined {
  if (!LIKE_JSON.test(sent)) return undefined;
  try {
    return JSON.parse(sent) as object;
  } catch {
    return undefined;
  }
}
const parsedObject = (sent: string) => {
  const parsed = parsedJson(sent);
  return isObject(parsed) ? parsed : undefined;
};

/** A list with each item changed; the same list where none is. */
export function changedItems<Item>(list: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  let copy: Item[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const changed = change(list[index] as Item);
    if (changed === list[index]) continue;
    copy ??= [...list];
    copy[index] = changed;
  }
  return copy ?? list;
}

/** An object with each field changed, without those that become `undefined`; the same object where none is. */
export function changedFields(object: Json, change: (name: string, value: unknown) => unknown): Json {
  let copy: Json | undefined;
  for (const name of Object.keys(object)) {
    const changed = change(name, object[name]);
    if (changed === object[name]) continue;
    copy ??= Object.assign(emptied(), object);
    if (changed === undefined) delete copy[name];
    else copy[name] = changed;
  }
  return copy ?? object;
}
