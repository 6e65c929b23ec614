import { PARAMETERS, type SavedViewList, SEVERAL } from "./schemas";

const problem = (message: string) => ({ ok: false as const, message });

/**
 * Checks a list's query string. Returns it in canonical form (sorted by name, each value once), so that equal views have equal
 * text, or what is wrong with it.
 */
export function canonicalQuery(list: SavedViewList, query: string) {
  const known = PARAMETERS[list];
  const given = [...new URLSearchParams(query)];
  for (const [index, [name, value]] of given.entries()) {
    const schema = Object.hasOwn(known, name) ? known[name] : undefined;
    if (schema === undefined) return problem(`“${name.slice(0, 100)}” is not a parameter of this list.`);
    const earlier = given.slice(0, index).filter(([other]) => other === name);
    const repeats = SEVERAL[list]?.includes(name) ? earlier.some(([, other]) => other === value) : earlier.length > 0;
    if (repeats) return problem(`“${name}” appears twice.`);
    if (!schema.safeParse(value).success) return problem(`“${name}” has a value that this list does not accept.`);
  }
  const sorted = given.toSorted(([one, a], [other, b]) => (one < other || (one === other && a < b) ? -1 : 1));
  return { ok: true as const, query: new URLSearchParams(sorted).toString() };
}
