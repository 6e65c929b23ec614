import type { Attributes, AttributeValue } from "../types";

export type Scope = { name: string; version: string };

export type MutableAttributes = Record<string, AttributeValue>;

/** An object without a prototype: `__proto__` is a name like any other in it. */
export const noAttributes = (): MutableAttributes => Object.create(null);
export const NO_ATTRIBUTES: Attributes = Object.freeze(noAttributes());
export const NO_SCOPE: Readonly<Scope> = Object.freeze({ name: "", version: "" });
