import type { Attributes, AttributeValue } from "../types";
import { type MutableAttributes, NO_ATTRIBUTES, NO_SCOPE, noAttributes } from "./attributes";
import { cleanText } from "./clean-text";
import { InexactNumber } from "./inexact-number";
import { MAX_VALUE_DEPTH, TOO_DEEP } from "./limits";

export type JsonObject = { [key: string]: unknown };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns a field by its JSON name, or by its protobuf name, which some exporters write. */
export function field(object: JsonObject, camelCase: string, snakeCase: string): unknown {
  return object[camelCase] ?? object[snakeCase];
}

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const textOf = (value: unknown): string => (typeof value === "string" ? cleanText(value) : "");

/** Reads an enum value, written as a number, a numeral, or a name such as `STATUS_CODE_ERROR`. */
export function enumOf(value: unknown, names: Readonly<Record<string, number>>): number {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return 0;
  return names[value.toUpperCase()] ?? (Number.parseInt(value, 10) || 0);
}

/** Reads attributes from a list of `{key, value}`. */
export function readJsonAttributes(list: unknown, depth = 0): MutableAttributes {
  const attributes = noAttributes();
  for (const entry of listOf(list)) {
    if (!isObject(entry) || typeof entry.key !== "string") continue;
    attributes[cleanText(entry.key)] = readJsonValue(entry.value, depth);
  }
  return attributes;
}

/** Reads an AnyValue of OTLP/JSON. A bare JSON value, which some exporters write, is taken as is. */
export function readJsonValue(value: unknown, depth = 0): AttributeValue {
  if (depth > MAX_VALUE_DEPTH) return TOO_DEEP;
  if (!isObject(value)) return readBareValue(value, depth);
  for (const key in value) {
    const read = VALUES[key];
    if (read) return read(value[key], depth);
  }
  return null;
}

type ReadValue = (value: unknown, depth: number) => AttributeValue;

const readString: ReadValue = (value, depth) =>
  typeof value === "string" ? cleanText(value) : readBareValue(value, depth);
const readBool: ReadValue = (value) => value === true || value === "true";
const readInt: ReadValue = (value) => {
  const number = typeof value === "string" ? Number(value) : value;
  if (typeof number === "number" && Number.isSafeInteger(number)) return number;
  if (typeof value === "number" && Number.isInteger(value)) throw new InexactNumber();
  return readBareValue(value, 0);
};
const readDouble: ReadValue = (value) => {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : readBareValue(value, 0);
};
const readArray: ReadValue = (value, depth) =>
  listOf(isObject(value) ? value.values : value).map((item) => readJsonValue(item, depth + 1));
const readKeyValueList: ReadValue = (value, depth) =>
  readJsonAttributes(isObject(value) ? value.values : value, depth + 1);

const VALUES: Readonly<Record<string, ReadValue>> = Object.assign(Object.create(null), {
  stringValue: readString,
  string_value: readString,
  intValue: readInt,
  int_value: readInt,
  doubleValue: readDouble,
  double_value: readDouble,
  boolValue: readBool,
  bool_value: readBool,
  arrayValue: readArray,
  array_value: readArray,
  kvlistValue: readKeyValueList,
  kvlist_value: readKeyValueList,
  bytesValue: readString,
  bytes_value: readString,
});

function readBareValue(value: unknown, depth: number): AttributeValue {
  if (typeof value === "string") return cleanText(value);
  if (typeof value === "number" || typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map((item) => readJsonValue(item, depth + 1));
  return null;
}

export function readJsonResource(owner: JsonObject): Attributes {
  return isObject(owner.resource) ? readJsonAttributes(owner.resource.attributes) : NO_ATTRIBUTES;
}

export function readJsonScope(owner: JsonObject): { name: string; version: string } {
  const scope = owner.scope ?? owner.instrumentationLibrary;
  return isObject(scope) ? { name: textOf(scope.name), version: textOf(scope.version) } : NO_SCOPE;
}
