import type { Attributes } from "../types";

export type Tree = { [key: string]: unknown };

/** Depth to which a flattened attribute's name is split; the rest stays one key. */
const DEEPEST_NAME = 12;

/**
 * Rebuilds attributes such as `llm.input_messages.0.message.role` into the tree under their prefix, `undefined` if there are none.
 * Branches are objects without a prototype and never arrays, so neither a huge index nor `__proto__` can do harm.
 */
export function unflatten(attributes: Attributes, prefix: string): Tree | undefined {
  let tree: Tree | undefined;
  for (const name of Object.keys(attributes)) {
    if (!name.startsWith(prefix)) continue;
    tree ??= Object.create(null) as Tree;
    put(tree, name.slice(prefix.length), attributes[name]);
  }
  return tree;
}

function put(tree: Tree, path: string, value: unknown): void {
  const names = path.split(".");
  const last = Math.min(names.length, DEEPEST_NAME) - 1;
  let branch = tree;
  for (let depth = 0; depth < last; depth++) {
    const name = names[depth] ?? "";
    const next = branch[name];
    if (typeof next === "object" && next !== null && !Array.isArray(next)) {
      branch = next as Tree;
    } else {
      const grown = Object.create(null) as Tree;
      branch[name] = grown;
      branch = grown;
    }
  }
  const leaf = names.slice(last).join(".");
  const there = branch[leaf];
  // `content` beside `content.0.text`: the more detailed one stays
  if (typeof there !== "object" || there === null) branch[leaf] = value;
}
