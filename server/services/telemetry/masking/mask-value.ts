import { isExactNumber, parseExactJson } from "@/server/platform/json/exact-json";
import type { AttributeValue } from "../otlp/types";
import { isPlaceholder, maskOf, maskText, namesSecret, type Tally } from "./mask-text";
import { isStoredHeader, meaningOf } from "./secret-names";

/** JSON text nested deeper is masked as plain text, to bound recursion. */
const MAX_JSON_DEPTH = 64;
class TooDeep extends Error {}

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value);
const emptyObject = (): Json => Object.create(null);

/** Masks the secrets in a value; returns the same object if there are none. JSON text is masked by its field names. */
export function maskValue(value: AttributeValue, tally: Tally): AttributeValue {
  return maskNested(value, tally, 0) as AttributeValue;
}

/** Masks the secrets in a named value; `undefined` if none of it may be stored. */
export function maskField(name: string, value: AttributeValue, tally: Tally): AttributeValue | undefined {
  return maskNamed(name, value, tally, 0) as AttributeValue | undefined;
}

function maskNamed(name: string, value: unknown, tally: Tally, depth: number): unknown {
  switch (meaningOf(name)) {
    case "headers":
      return maskHeaders(value, tally, depth);
    case "unstored header":
      tally.masked++;
      return undefined;
    case "secret":
      return maskAll(value, tally);
    case "plain":
      return maskNested(value, tally, depth);
  }
}

function maskNested(value: unknown, tally: Tally, depth: number): unknown {
  if (typeof value === "string") return maskTextOrJson(value, tally, depth);
  if (typeof value !== "object" || value === null || isExactNumber(value)) return value;
  if (depth > MAX_JSON_DEPTH) throw new TooDeep();
  if (Array.isArray(value)) return changedItems(value, (item) => maskNested(item, tally, depth + 1));
  return changedFields(value as Json, (name, inner) => maskNamed(name, inner, tally, depth + 1));
}

/** Masks everything under a secret's name. Numbers can be passwords; booleans and null cannot. */
function maskAll(value: unknown, tally: Tally): unknown {
  if (typeof value === "string" || typeof value === "number" || isExactNumber(value)) {
    if (isPlaceholder(isExactNumber(value) ? value.rawJSON : String(value))) return value;
    tally.masked++;
    return maskOf("value");
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return changedItems(value, (item) => maskAll(item, tally));
  return changedFields(value as Json, (_, inner) => maskAll(inner, tally));
}

/** Keeps only allowed headers. A list of pairs, or text that is not JSON, is dropped as a whole. */
function maskHeaders(value: unknown, tally: Tally, depth: number): unknown {
  if (isObject(value)) {
    return changedFields(value, (name, inner) => {
      if (isStoredHeader(name)) return maskNested(inner, tally, depth + 1);
      tally.masked++;
      return undefined;
    });
  }
  if (typeof value === "string") {
    const parsed = parsedObject(value);
    if (parsed) {
      const stored = maskHeaders(parsed, tally, depth);
      return stored === parsed ? value : JSON.stringify(stored);
    }
    if (isPlaceholder(value)) return value;
  }
  if (value === null || typeof value === "boolean") return value;
  tally.masked++;
  return undefined;
}

function maskTextOrJson(value: string, tally: Tally, depth: number): string {
  const parsed = isWorthParsing(value) ? parsedJson(value) : undefined;
  if (parsed === undefined) return maskText(value, tally);
  // Counted separately: if the value turns out to be too deep, its secrets are found again as plain text.
  const found = { masked: 0 };
  try {
    const masked = maskNested(parsed, found, depth + 1);
    tally.masked += found.masked;
    return masked === parsed ? value : JSON.stringify(masked);
  } catch (error) {
    if (!(error instanceof TooDeep || error instanceof RangeError)) throw error;
    return maskText(value, tally);
  }
}

const LIKE_JSON = /^\s{0,100}[[{]/;
/** Masking as text suffices for most JSON, but not for headers in it or URLs with escaped slashes. */
const isWorthParsing = (sent: string) => LIKE_JSON.test(sent) && (namesSecret(sent) || sent.includes(":\\/\\/"));

/** Parses JSON text of a list or an object; `undefined` for other text. */
function parsedJson(sent: string): object | undefined {
  if (!LIKE_JSON.test(sent)) return undefined;
  try {
    return parseExactJson(sent) as object;
  } catch {
    return undefined;
  }
}
const parsedObject = (sent: string) => {
  const parsed = parsedJson(sent);
  return isObject(parsed) ? parsed : undefined;
};

/** Maps a list; returns the same list if no item changed. */
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

/** Maps an object's fields and drops those that become `undefined`; returns the same object if none changed. */
export function changedFields(object: Json, change: (name: string, value: unknown) => unknown): Json {
  let copy: Json | undefined;
  for (const name of Object.keys(object)) {
    const changed = change(name, object[name]);
    if (changed === object[name]) continue;
    copy ??= Object.assign(emptyObject(), object);
    if (changed === undefined) delete copy[name];
    else copy[name] = changed;
  }
  return copy ?? object;
}
