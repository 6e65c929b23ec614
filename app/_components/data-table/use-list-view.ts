import { useQueryStates } from "nuqs";
import { listParsers } from "./list-view";

const OWN_NAMES = {};

/** Returns a list's state in the URL; a second list on a page has a `scope`, the prefix of its parameters. */
export function useListView(scope?: string) {
  const urlKeys = scope ? { sort: `${scope}-sort`, hide: `${scope}-hide`, peek: `${scope}-peek` } : OWN_NAMES;
  return useQueryStates(listParsers, { history: "replace", urlKeys });
}
