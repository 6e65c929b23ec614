import { type ExactNumber, isExactNumber, parseExactJson, plainNumber } from "@/server/platform/json/exact-json";
import { cleanText } from "../decode/clean-text";
import { MAX_VALUE_DEPTH, TOO_DEEP } from "../decode/limits";

const ESCAPED_NUL_OR_SURROGATE = /\\u(?:0000|d[89a-f])/i;

/**
 * Parses JSON text; `undefined` if the text is not JSON. Structured values are returned unchanged. Numbers keep their digits: one
 * that JavaScript would change becomes an `ExactNumber`.
 * Replaces escaped NULs and lone surrogates, which decoding the body could not detect. `depth` is the value's depth in a larger
 * value.
 */
export function parseJson(text: unknown, depth = 0): unknown {
  if (typeof text !== "string") return text ?? undefined;
  const first = text.charCodeAt(firstNonBlank(text));
  const mayBeJson = first === 0x7b || first === 0x5b || first === 0x22; // { [ "
  if (!mayBeJson) return undefined;
  try {
    const value = parseExactJson(text);
    return text.includes("\\u") && ESCAPED_NUL_OR_SURROGATE.test(text) ? cleanDeep(value, depth) : value;
  } catch {
    return undefined;
  }
}

function firstNonBlank(text: string): number {
  let index = 0;
  while (index < text.length && text.charCodeAt(index) <= 0x20) index++;
  return index;
}

/** Returns a copy limited to the maximum depth, with every string sanitised. */
const cleanDeep = (value: unknown, depth: number): unknown => copyDeep(value, depth, (number) => number);

/** Does the same for a value that is stored as JSON: a number that JavaScript cannot represent becomes text. */
export const plainDeep = (value: unknown): unknown => copyDeep(value, 0, plainNumber);

function copyDeep(value: unknown, depth: number, numberOf: (exact: ExactNumber) => unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (value === null || typeof value !== "object") return value;
  if (isExactNumber(value)) return numberOf(value);
  if (depth > MAX_VALUE_DEPTH) return TOO_DEEP;
  if (Array.isArray(value)) return value.map((item) => copyDeep(item, depth + 1, numberOf));
  const copy: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value)) {
    copy[cleanText(key)] = copyDeep((value as Record<string, unknown>)[key], depth + 1, numberOf);
  }
  return copy;
}

/** Returns the JSON text of a value; text is returned unchanged. */
export function toText(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return TOO_DEEP; // nested too deeply to serialise
  }
}

/**
 * Returns the items of a list, also in two other forms: `{values: [{stringValue: …}]}` of stringified protobuf JSON, and
 * `{"0": …, "1": …}` of flattened attributes.
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
 * Returns the values under integer names, in order. Indices only determine the order, so a huge one allocates nothing.
 * JavaScript lists such names first and in order, so the first name distinguishes most objects from lists.
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
