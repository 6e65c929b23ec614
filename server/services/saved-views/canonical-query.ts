import { PARAMETERS, type SavedViewList } from "./schemas";

const problem = (message: string) => ({ ok: false as const, message });

/**
 * Checks a list's query string. Returns it in canonical form (parameters by name, each once), so that equal views have
 * equal text; or what is wrong with it.
 */
export function canonicalQuery(list: SavedViewList, query: string) {
  const known = PARAMETERS[list];
  const given = [...new URLSearchParams(query)];
  for (const [index, [name, value]] of given.entries()) {
    const schema = Object.hasOwn(known, name) ? known[name] : undefined;
    if (schema === undefined) return problem(`“${name.slice(0, 100)}” is not a parameter of this list.`);
    if (given.findIndex(([other]) => other === name) < index) return problem(`“${name}” appears twice.`);
    if (!schema.safeParse(value).success) return problem(`“${name}” has a value that this list does not accept.`);
  }
  const sorted = given.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return { ok: true as const, query: new URLSearchParams(sorted).toString() };
}
