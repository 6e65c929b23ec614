import type { PriceProvider } from "../schemas";
import { GenerationalCache } from "./generational-cache";
import { compilePattern, isPattern, type Pattern } from "./pattern";
import { HEAD_LENGTH_MAX, type PatternShape, patternShape } from "./pattern-shape";

/** The fields that the index needs. `names` are exact, in lower case, and include the model's own name. */
export type Indexed = { id: string; provider: PriceProvider; names: readonly string[]; matchPattern: string };

/** `matches` compiles the pattern lazily, because only few of thousands are ever tested. */
type Ranked<D> = { definition: D; matches: (name: string) => boolean; rank: number };

/**
 * Finds definitions by exact name or by pattern. A pattern is only run on names that begin with (or contain) a required
 * literal prefix of its matches, so hundreds of patterns cost a handful of map look-ups and one or two runs. Precedence
 * within exact names and within patterns: the requested vendor's definition, then the more specific pattern, then the
 * smaller id. A pattern that RE2 rejects matches nothing; its definition is still found by exact name.
 */
export class DefinitionIndex<D extends Indexed> {
  readonly #exact = new Map<string, D[]>();
  /** By required prefix. */
  readonly #byHead = new Map<string, Ranked<D>[]>();
  /** With required content, which may be empty. */
  readonly #byContent: [content: string, Ranked<D>][] = [];

  constructor(definitions: readonly D[]) {
    const byId = [...definitions].sort((a, b) => (a.id < b.id ? -1 : 1));
    for (const definition of byId) for (const name of definition.names) push(this.#exact, name, definition);

    byId
      .map((definition) => ({ definition, shape: shapeOf(definition.matchPattern) }))
      .sort((a, b) => b.shape.fewestLiterals - a.shape.fewestLiterals) // stable: ids decide among equals
      .forEach(({ definition, shape }, rank) => {
        const entry = { definition, matches: matcherOf(definition.matchPattern), rank };
        for (const head of shape.heads) {
          if (shape.anchored && head !== "") push(this.#byHead, head, entry);
          else this.#byContent.push([head, entry]);
        }
      });
  }

  /** Finds a definition by exact name, else by pattern; in each case the first candidate with a match wins. */
  find(candidates: readonly string[], allowed: (definition: D) => boolean, vendor: PriceProvider | null): D | null {
    const asked = (definition: D) => definition.provider === vendor;
    for (const name of candidates) {
      const named = this.#exact.get(name)?.filter(allowed);
      if (named?.length) return named.find(asked) ?? named[0]!;
    }
    for (const name of candidates) {
      const found = this.#matching(name).filter(({ definition }) => allowed(definition));
      const first =
        found.find(({ definition, matches }) => asked(definition) && matches(name)) ??
        found.find(({ matches }) => matches(name));
      if (first) return first.definition;
    }
    return null;
  }

  /** Returns entries whose pattern may match the name, most specific first. */
  #matching(name: string): Ranked<D>[] {
    const found = new Set<Ranked<D>>();
    const folds = name.includes("ſ"); // RE2 folds it to s but toLowerCase does not, so prefixes cannot be compared
    for (const [content, entry] of this.#byContent) if (folds || name.includes(content)) found.add(entry);
    if (folds) for (const entries of this.#byHead.values()) for (const entry of entries) found.add(entry);
    for (let length = Math.min(name.length, HEAD_LENGTH_MAX); length > 0; length--) {
      for (const entry of this.#byHead.get(name.slice(0, length)) ?? []) found.add(entry);
    }
    return [...found].sort((a, b) => a.rank - b.rank);
  }
}

/** Shared between books: after a change most patterns are the same. */
const shapes = new GenerationalCache<PatternShape>(10_000);

function shapeOf(source: string): PatternShape {
  const known = shapes.get(source);
  if (known) return known;
  const shape = patternShape(source);
  shapes.set(source, shape);
  return shape;
}

function matcherOf(source: string) {
  let pattern: Pattern | null | undefined;
  return (name: string) => {
    if (pattern === undefined) {
      const compiled = compilePattern(source);
      pattern = isPattern(compiled) ? compiled : null;
    }
    return pattern?.test(name) ?? false;
  };
}

function push<V>(map: Map<string, V[]>, key: string, value: V) {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}
