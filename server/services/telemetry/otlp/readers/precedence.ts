import type { Convention, Fields, Sources } from "../convention";
import { CONVENTIONS } from "../conventions";

/** Conventions that a field trusts more or less than the order of all conventions says. */
type Order = { first?: readonly Convention[]; last?: readonly Convention[] };

/** Returns all conventions in the order of trust of a field. */
export function inOrder({ first = [], last = [] }: Order = {}): readonly Convention[] {
  const between = CONVENTIONS.filter((convention) => !first.includes(convention) && !last.includes(convention));
  return [...first, ...between, ...last];
}

/** Returns all sources of a field in order of trust: fallbacks come after the other conventions' sources. */
export function sourcesOf<Field extends keyof Fields>(field: Field, order?: Order): readonly Fields[Field][] {
  const conventions = inOrder(order);
  const sourcesIn = (sources: Sources = {}): readonly Fields[Field][] => sources[field] ?? [];
  return [...conventions.flatMap(sourcesIn), ...conventions.flatMap(({ fallback }) => sourcesIn(fallback))];
}
