import type { Attributes } from "../types";

type Tree = { [key: string]: unknown };

/** Depth to which a flattened attribute's name is split; the rest stays one key. */
const DEEPEST_NAME = 12;

/**
 * Rebuilds attributes such as `llm.input_messages.0.message.role` into one tree per prefix. Branches are objects without a
 * prototype and never arrays, so neither a huge index nor `__proto__` can do harm.
 */
export function unflatten<Prefix extends string>(
  attributes: Attributes,
  prefixes: readonly Prefix[],
): Partial<Record<Prefix, Tree>> {
  const trees: Partial<Record<Prefix, Tree>> = {};
  for (const name of Object.keys(attributes)) {
    for (const prefix of prefixes) {
      if (!name.startsWith(prefix)) continue;
      let tree = trees[prefix];
      if (!tree) {
        tree = Object.create(null) as Tree;
        trees[prefix] = tree;
      }
      put(tree, name.slice(prefix.length), attributes[name]);
    }
  }
  return trees;
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
