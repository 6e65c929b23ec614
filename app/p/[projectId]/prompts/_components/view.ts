import { createLoader, parseAsBoolean, parseAsString } from "nuqs/server";
import { listParsers, sortInput } from "@/app/_components/data-table/list-view";

/** A search for the name, the list's order and columns, and whether the dialog for a new prompt is open. */
export const viewParsers = {
  q: parseAsString.withDefault(""),
  new: parseAsBoolean.withDefault(false),
  ...listParsers,
};

export const loadView = createLoader(viewParsers);
type View = Awaited<ReturnType<typeof loadView>>;

/** The server's orders by column. */
const SORTS = { name: "name", changed: "changed" } as const;
const SEARCH_CHARACTERS = 100;

export const listInput = (projectId: string, { q, sort }: Pick<View, "q" | "sort">) => ({
  projectId,
  ...sortInput(sort, SORTS),
  ...(q.trim() ? { q: q.trim().slice(0, SEARCH_CHARACTERS) } : {}),
});
