import type { Attributes } from "../types";
import { unflatten } from "./flattened";
import { parseJson } from "./json-text";

/** Reads a list of tools from one attribute. */
export const toolsIn =
  (name: string) =>
  (attributes: Attributes): readonly unknown[] => {
    const list = parseJson(attributes[name]);
    return Array.isArray(list) ? list : [];
  };

/** Reads tools that are flattened under a prefix, `path` below each number. */
export const toolsBelow =
  (prefix: string, ...path: string[]) =>
  (attributes: Attributes): readonly unknown[] =>
    Object.values(unflatten(attributes, prefix) ?? {}).map((one) =>
      path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], one),
    );
