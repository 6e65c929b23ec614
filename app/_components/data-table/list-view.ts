import { createParser, parseAsArrayOf, parseAsString } from "nuqs/server";

/** The order of a list: the id of a column, and its direction. */
export type Sort = { by: string; descending: boolean };

/** `sort=cost` is ascending, `sort=-cost` descending. */
const parseAsSort = createParser<Sort>({
  parse: (text) => {
    const [, minus, by] = /^(-?)([A-Za-z][\w.]*)$/.exec(text) ?? [];
    return by === undefined ? null : { by, descending: minus === "-" };
  },
  serialize: ({ by, descending }) => `${descending ? "-" : ""}${by}`,
  eq: (a, b) => a.by === b.by && a.descending === b.descending,
});

/** A list's own state in the URL, for the page's parsers: its order, hidden columns and open row. */
export const listParsers = {
  sort: parseAsSort,
  hide: parseAsArrayOf(parseAsString).withDefault([]),
  peek: parseAsString,
};

type SortInput<Name extends string> = { sort?: Name; order?: "asc" | "desc" };

/** Returns the order that a list's query requests; `names` are the server's orders by the id of their column. */
export function sortInput<Name extends string>(
  sort: Sort | null,
  names: Readonly<Record<string, Name>>,
): SortInput<Name> {
  const name = sort !== null && Object.hasOwn(names, sort.by) ? names[sort.by] : undefined;
  return sort === null || name === undefined ? {} : { sort: name, order: sort.descending ? "desc" : "asc" };
}
