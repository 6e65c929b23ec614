import { RE2JS, RE2Set } from "re2js";
import { compilePattern, isPattern, SUBJECT_MAX } from "./pattern";
import { patternSpecificity } from "./pattern-specificity";
import type { PriceProvider } from "./schemas";

/** What the index needs to know of a definition. `names` are exact, in lower case, the model's own name among them. */
export type Indexed = { id: string; provider: PriceProvider; names: readonly string[]; matchPattern: string };

/** Memory of the pattern automaton (bytes): above it the engine starts its cache afresh, the answer is the same. */
const AUTOMATON_BYTES = 1 << 22;

/**
 * Finds definitions by exact name or by pattern. All patterns run as one automaton without backtracking, so the time
 * does not grow with their number. Order within a kind: the asked vendor's own before others, then the more specific
 * pattern, then the smaller id. A pattern that RE2 refuses matches nothing; its definition still has its exact name.
 */
export class DefinitionIndex<D extends Indexed> {
  readonly #exact = new Map<string, D[]>();
  readonly #byPattern: D[] = [];
  readonly #patterns = new RE2Set(RE2Set.UNANCHORED, RE2JS.CASE_INSENSITIVE, AUTOMATON_BYTES);

  constructor(definitions: readonly D[]) {
    for (const definition of [...definitions].sort((a, b) => (a.id < b.id ? -1 : 1))) {
      for (const name of definition.names) {
        const others = this.#exact.get(name);
        if (others) others.push(definition);
        else this.#exact.set(name, [definition]);
      }
      if (isPattern(compilePattern(definition.matchPattern))) this.#byPattern.push(definition);
    }
    const specificity = new Map(this.#byPattern.map((d) => [d, patternSpecificity(d.matchPattern)]));
    this.#byPattern.sort((a, b) => specificity.get(b)! - specificity.get(a)!); // stable: ids decide among equals
    for (const definition of this.#byPattern) this.#patterns.add(definition.matchPattern);
    if (this.#byPattern.length > 0) this.#patterns.compile();
  }

  /** By exact name before pattern; within each, by the first candidate that any definition answers to. */
  find(candidates: readonly string[], applies: (provider: PriceProvider) => boolean, vendor: PriceProvider | null) {
    for (const name of candidates) {
      const found = preferred(this.#exact.get(name), applies, vendor);
      if (found) return found;
    }
    if (this.#byPattern.length === 0) return null;
    for (const name of candidates) {
      if (name.length > SUBJECT_MAX) continue;
      const matching = this.#patterns.match(name).sort((a, b) => a - b);
      const found = preferred(
        matching.map((position) => this.#byPattern[position]!),
        applies,
        vendor,
      );
      if (found) return found;
    }
    return null;
  }
}

function preferred<D extends Indexed>(
  ordered: readonly D[] | undefined,
  applies: (provider: PriceProvider) => boolean,
  vendor: PriceProvider | null,
): D | null {
  const allowed = ordered?.filter((definition) => applies(definition.provider));
  return allowed?.find((definition) => definition.provider === vendor) ?? allowed?.[0] ?? null;
}
