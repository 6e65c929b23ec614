import type { Attributes, AttributeValue } from "../types";

export type Scope = { name: string; version: string };

export type MutableAttributes = Record<string, AttributeValue>;

/** Creates an object without a prototype, in which `__proto__` is an ordinary name. */
export const noAttributes = (): MutableAttributes => Object.create(null);
export const NO_ATTRIBUTES: Attributes = Object.freeze(noAttributes());
export const NO_SCOPE: Readonly<Scope> = Object.freeze({ name: "", version: "" });
