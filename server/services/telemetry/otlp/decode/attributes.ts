import type { Attributes, AttributeValue } from "../types";

export type Scope = { name: string; version: string };

export type MutableAttributes = Record<string, AttributeValue>;

/** An object without a prototype: `__proto__` is a name like any other in it. */
export const noAttributes = (): MutableAttributes => Object.create(null);
export const NO_ATTRIBUTES: Attributes = Object.freeze(noAttributes());
export const NO_SCOPE: Readonly<Scope> = Object.freeze({ name: "", version: "" });

/** Attributes that carry credentials: they are never kept. */
const CREDENTIALS = [
  "ai.request.headers",
  "http.request.header.authorization",
  "http.request.header.cookie",
  "http.request.header.x-api-key",
  "http.request.header.api-key",
];
const FIRST_LETTERS = new Set(CREDENTIALS.map((name) => name.charCodeAt(0)));

export function isCredential(name: string): boolean {
  return FIRST_LETTERS.has(name.charCodeAt(0)) && CREDENTIALS.some((prefix) => name.startsWith(prefix));
}
