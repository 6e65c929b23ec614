import { cleanText } from "../decode/clean-text";
import { MAX_VALUE_DEPTH, TOO_DEEP } from "../decode/limits";

const MAY_ESCAPE_WHAT_WE_CANNOT_KEEP = /\\u(?:0000|d[89a-f])/i;

/**
 * The value of JSON text, or `undefined` when the text is none. What is already structured comes back as it is.
 * Escaped NULs and lone surrogates, which decoding the body could not see, are cleaned here.
 */
export function parseJson(text: unknown): unknown {
  if (typeof text !== "string") return text ?? undefined;
  const first = text.charCodeAt(firstInk(text));
  const mayBeJson = first === 0x7b || first === 0x5b || first === 0x22; // { [ "
  if (!mayBeJson) return undefined;
  try {
    const value = JSON.parse(text);
    return text.includes("\\u") && MAY_ESCAPE_WHAT_WE_CANNOT_KEEP.test(text) ? cleanDeep(value, 0) : value;
  } catch {
    return undefined;
  }
}

function firstInk(text: string): number {
  let index = 0;
  while (index < text.length && text.charCodeAt(index) <= 0x20) index++;
  return index;
}

/** A copy no deeper than we keep values, with every text cleaned. */
export function cleanDeep(value: unknown, depth: number): unknown {
  if (typeof value === "string") return cleanText(value);
  if (value === null || typeof value !== "object") return value;
  if (depth > MAX_VALUE_DEPTH) return TOO_DEEP;
  if (Array.isArray(value)) return value.map((item) => cleanDeep(item, depth + 1));
  const copy: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value)) {
    copy[cleanText(key)] = cleanDeep((value as Record<string, unknown>)[key], depth + 1);
  }
  return copy;
}

/** JSON text of a value; text stays as it is. */
export function toText(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return TOO_DEEP; // nested so deeply that it cannot be walked
  }
}

/**
 * The items of a list. A capture that stringified protobuf's own JSON holds `{values: [{stringValue: …}]}` instead, and
 * flattened attributes hold `{"0": …, "1": …}`: both are lists too.
 */
export function unwrapList(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (typeof value !== "object" || value === null) return undefined;
  const object = value as Record<string, unknown>;
  if (Array.isArray(object.values)) return object.values.map(unwrapAnyValue);
  return indexed(object);
}

function unwrapAnyValue(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const [key, ...others] = Object.keys(value);
  return key?.endsWith("Value") && others.length === 0 ? (value as Record<string, unknown>)[key] : value;
}

const INDEX = /^\d{1,9}$/;

/**
 * The values under whole-number names, in their order. Indices only sort: a hostile one allocates nothing.
 * JavaScript lists such names first and in order, so one look at the first tells most objects from lists.
 */
export function indexed(object: Readonly<Record<string, unknown>>): unknown[] | undefined {
  let values: unknown[] | undefined;
  for (const key in object) {
    if (!INDEX.test(key)) break;
    values ??= [];
    values.push(object[key]);
  }
  return values;
}
