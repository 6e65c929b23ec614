import { createLoader, createSerializer, parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { listParsers } from "@/app/_components/data-table/list-view";
import { OBJECTIVE_VALUES, SOURCE_VALUES, SPLIT_VALUES } from "../../_components/words";

export const TABS = ["examples", "overview", "versions", "settings"] as const;

/** The page's state, kept in the address: the tab, the filters of its Examples, and the versions that are compared. */
export const viewParsers = {
  tab: parseAsStringLiteral(TABS).withDefault("examples"),
  q: parseAsString.withDefault(""),
  split: parseAsStringLiteral(SPLIT_VALUES),
  source: parseAsStringLiteral(SOURCE_VALUES),
  objective: parseAsStringLiteral(OBJECTIVE_VALUES),
  tag: parseAsString,
  conversation: parseAsString,
  from: parseAsInteger,
  to: parseAsInteger,
  ...listParsers,
};
export const loadView = createLoader(viewParsers);
export const serializeView = createSerializer(viewParsers);
export type View = Awaited<ReturnType<typeof loadView>>;

const PAGE = 50;

/** Returns the query of the list of Examples. */
export const examplesInput = (projectId: string, datasetId: string, view: View) => ({
  projectId,
  datasetId,
  limit: PAGE,
  ...(view.q.trim() ? { q: view.q.trim().slice(0, 500) } : {}),
  ...(view.split !== null ? { split: view.split } : {}),
  ...(view.source !== null ? { source: view.source } : {}),
  ...(view.objective !== null ? { objective: view.objective } : {}),
  ...(view.tag ? { tag: view.tag } : {}),
  ...(view.conversation ? { conversationId: view.conversation } : {}),
});

export const NO_FILTERS = { q: null, split: null, source: null, objective: null, tag: null, conversation: null };

export const filtersChosen = ({ split, source, objective, tag, conversation }: View) =>
  [split, source, objective, tag, conversation].filter((value) => value !== null).length;

export const isFiltered = (view: View) => view.q.trim() !== "" || filtersChosen(view) > 0;
