import type { Attributes, AttributeValue } from "../types";
import { parseJson, unwrapList } from "./json-text";

/**
 * One place where a field may be found. `takes` names the attributes it looks at (a trailing `*` takes every name that starts
 * so): what no reader takes is shown as unmapped.
 */
export type Reader<Value> = {
  takes: readonly string[];
  read: (attributes: Attributes) => Value | undefined;
};

/** The value of the first reader that finds one. */
export function firstOf<Value>(readers: readonly Reader<Value>[], attributes: Attributes): Value | undefined {
  for (const reader of readers) {
    const value = reader.read(attributes);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Text, or a number written as text. Empty text is absent. */
export function text(name: string): Reader<string> {
  return { takes: [name], read: (attributes) => textOf(attributes[name]) };
}

/** Text inside an attribute that holds a JSON object: the first of `keys` that it has. */
export function textInJson(name: string, ...keys: string[]): Reader<string> {
  return {
    takes: [name],
    read: (attributes) => {
      const object = objectIn(attributes[name]);
      if (!object) return undefined;
      for (const key of keys) {
        const value = textOf(object[key]);
        if (value !== undefined) return value;
      }
      return undefined;
    },
  };
}

/** Text that a client wrote as JSON, with its quotes. */
export function jsonText(name: string): Reader<string> {
  return { takes: [name], read: (attributes) => textOf(parseJson(attributes[name]) ?? attributes[name]) };
}

/** A finite number, or text that is one. */
export function number(name: string): Reader<number> {
  return { takes: [name], read: (attributes) => numberOf(attributes[name]) };
}

/** The attribute as it is. */
export function value(name: string): Reader<AttributeValue> {
  return { takes: [name], read: (attributes) => attributes[name] ?? undefined };
}

/** A list of texts: a real list, JSON text of one, a list double-wrapped by a stringified capture, or one bare text. */
export function texts(name: string): Reader<string[]> {
  return {
    takes: [name],
    read: (attributes) => {
      const raw = attributes[name];
      if (raw === undefined || raw === null) return undefined;
      const list = unwrapList(parseJson(raw) ?? raw);
      const found = (list ?? [raw]).map(textOf).filter((item) => item !== undefined);
      return found.length > 0 ? found : undefined;
    },
  };
}

/** Maps the value of one attribute through a table; a value that is not in it is absent. */
export function mapped<Value>(name: string, table: Readonly<Record<string, Value>>): Reader<Value> {
  const known = new Map(Object.entries(table));
  return {
    takes: [name],
    read: (attributes) => {
      const raw = attributes[name];
      return typeof raw === "string" ? known.get(raw.toLowerCase()) : undefined;
    },
  };
}

/** `result` when the attribute is there at all. */
export function present<Value>(name: string, result: Value): Reader<Value> {
  return { takes: [name], read: (attributes) => (attributes[name] === undefined ? undefined : result) };
}

export function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  if (typeof value === "number") return String(value);
  return undefined;
}

export function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "string" || value.trim() === "") return undefined;
  const parsed = Number(value);
  return Number.isFinite(parsed) ? parsed : undefined;
}

/** The object that an attribute holds, structured or as JSON text. */
export function objectIn(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const parsed = typeof value === "string" ? parseJson(value) : value;
  return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
    ? (parsed as Record<string, unknown>)
    : undefined;
}
