import { isExactNumber } from "@/server/platform/json/exact-json";
import { type PromptReference, TRAIT_CHARACTERS } from "../../schemas";
import { cutText } from "../cut-text";
import type { Attributes, AttributeValue } from "../types";
import { parseJson, unwrapList } from "./json-text";

/**
 * A source of a field. `takes` names the attributes that it reads (a trailing `*` matches any suffix): attributes that no reader
 * takes are shown as unmapped.
 */
export type Reader<Value> = {
  takes: readonly string[];
  read: (attributes: Attributes) => Value | undefined;
};

/** Returns the value of the first reader that finds one. */
export function firstOf<Value>(readers: readonly Reader<Value>[], attributes: Attributes): Value | undefined {
  for (const reader of readers) {
    const value = reader.read(attributes);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Reads text, or a number as text. Empty text counts as absent. */
export function text(name: string): Reader<string> {
  return { takes: [name], read: (attributes) => textOf(attributes[name]) };
}

/** Reads a managed prompt: its name, and the version that another attribute has. */
export function promptIn(name: string, version?: string): Reader<PromptReference> {
  return {
    takes: version === undefined ? [name] : [name, version],
    read: (attributes) => {
      const found = cutText(textOf(attributes[name]) ?? "", TRAIT_CHARACTERS);
      if (found === null) return undefined;
      const of = version === undefined ? undefined : textOf(attributes[version]);
      return { name: found, version: of === undefined ? null : cutText(of, TRAIT_CHARACTERS) };
    },
  };
}

/** Reads text inside an attribute that holds a JSON object: the first of `keys` that is present. */
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

/** Reads text that a client sent as JSON, in quotes. */
export function jsonText(name: string): Reader<string> {
  return { takes: [name], read: (attributes) => textOf(parseJson(attributes[name]) ?? attributes[name]) };
}

/** Reads a finite number, or text that is one. */
export function number(name: string): Reader<number> {
  return { takes: [name], read: (attributes) => numberOf(attributes[name]) };
}

/** Reads the sum of those of these attributes that are present. */
export function sumOf(...names: string[]): Reader<number> {
  return {
    takes: names,
    read: (attributes) => {
      const present = names.map((name) => numberOf(attributes[name])).filter((found) => found !== undefined);
      return present.length > 0 ? present.reduce((total, found) => total + found) : undefined;
    },
  };
}

/** Reads the attribute as is. */
export function value(name: string): Reader<AttributeValue> {
  return { takes: [name], read: (attributes) => attributes[name] ?? undefined };
}

/** Reads a list of strings: a list, JSON text of one, a doubly stringified list, or a single string. */
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

/** Maps the value of an attribute through a table; other values count as absent. */
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

/** Returns `result` if the attribute is present. */
export function present<Value>(name: string, result: Value): Reader<Value> {
  return { takes: [name], read: (attributes) => (attributes[name] === undefined ? undefined : result) };
}

export function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  if (typeof value === "number") return String(value);
  return isExactNumber(value) ? value.rawJSON : undefined;
}

export function numberOf(sent: unknown): number | undefined {
  const value = isExactNumber(sent) ? Number(sent.rawJSON) : sent;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "string" || value.trim() === "") return undefined;
  const parsed = Number(value);
  return Number.isFinite(parsed) ? parsed : undefined;
}

/** Returns the object that an attribute holds, structured or as JSON text. */
export function objectIn(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const parsed = typeof value === "string" ? parseJson(value) : value;
  return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) && !isExactNumber(parsed)
    ? (parsed as Record<string, unknown>)
    : undefined;
}
