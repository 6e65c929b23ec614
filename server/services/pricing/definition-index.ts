import { compilePattern, isPattern, type Pattern } from "./pattern";
import { HEAD_LENGTH_MAX, patternShape } from "./pattern-shape";
import type { PriceProvider } from "./schemas";

/** What the index needs to know of a definition. `names` are exact, in lower case, the model's own name among them. */
export type Indexed = { id: string; provider: PriceProvider; names: readonly string[]; matchPattern: string };

type Ranked<D> = { definition: D; pattern: Pattern; rank: number };

/**
 * Finds definitions by exact name or by pattern. A pattern is only run on a name that begins with (or contains) what
 * each of its matches begins with, so hundreds of patterns cost a handful of map look-ups and one or two runs.
 * Order within a kind: the asked vendor's own before others, then the more specific pattern, then the smaller id.
 * A pattern that RE2 refuses matches nothing; its definition still has its exact name.
 */
export class DefinitionIndex<D extends Indexed> {
  readonly #exact = new Map<string, D[]>();
  /** By what a name must begin with. */
  readonly #byHead = new Map<string, Ranked<D>[]>();
  /** By what a name must contain, which may be nothing. */
  readonly #byContent: [content: string, Ranked<D>][] = [];

  constructor(definitions: readonly D[]) {
    const byId = [...definitions].sort((a, b) => (a.id < b.id ? -1 : 1));
    for (const definition of byId) for (const name of definition.names) push(this.#exact, name, definition);

    byId
      .map((definition) => ({ definition, ...compiled(definition.matchPattern) }))
      .filter((entry) => entry.pattern !== null)
      .sort((a, b) => b.shape.fewestLiterals - a.shape.fewestLiterals) // stable: ids decide among equals
      .forEach(({ definition, pattern, shape }, rank) => {
        const entry = { definition, pattern: pattern!, rank };
        for (const head of shape.heads) {
          if (shape.anchored && head !== "") push(this.#byHead, head, entry);
          else this.#byContent.push([head, entry]);
        }
      });
  }

  /** By exact name before pattern; within each, by the first candidate that any definition answers to. */
  find(candidates: readonly string[], allowed: (definition: D) => boolean, vendor: PriceProvider | null): D | null {
    const asked = (definition: D) => definition.provider === vendor;
    for (const name of candidates) {
      const named = this.#exact.get(name)?.filter(allowed);
      if (named?.length) return named.find(asked) ?? named[0]!;
    }
    for (const name of candidates) {
      const found = this.#matching(name).filter(({ definition }) => allowed(definition));
      const first =
        found.find(({ definition, pattern }) => asked(definition) && pattern.test(name)) ??
        found.find(({ pattern }) => pattern.test(name));
      if (first) return first.definition;
    }
    return null;
  }

  /** All whose pattern may match the name, most specific first. */
  #matching(name: string): Ranked<D>[] {
    const found = new Set<Ranked<D>>();
    const folds = name.includes("ſ"); // RE2 takes it for an s, which lower case leaves: heads cannot be compared
    for (const [content, entry] of this.#byContent) if (folds || name.includes(content)) found.add(entry);
    if (folds) for (const entries of this.#byHead.values()) for (const entry of entries) found.add(entry);
    for (let length = Math.min(name.length, HEAD_LENGTH_MAX); length > 0; length--) {
      for (const entry of this.#byHead.get(name.slice(0, length)) ?? []) found.add(entry);
    }
    return [...found].sort((a, b) => a.rank - b.rank);
  }
}

function compiled(source: string) {
  const pattern = compilePattern(source);
  return { pattern: isPattern(pattern) ? pattern : null, shape: patternShape(source) };
}

function push<V>(map: Map<string, V[]>, key: string, value: V) {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}
