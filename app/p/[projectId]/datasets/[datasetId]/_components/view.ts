import {
  createLoader,
  createParser,
  createSerializer,
  parseAsInteger,
  parseAsNativeArrayOf,
  parseAsString,
  parseAsStringLiteral,
} from "nuqs/server";
import { listParsers } from "@/app/_components/data-table/list-view";
import { SEVERAL_MAX } from "@/server/platform/schemas";
import { OBJECTIVE_VALUES, OBJECTIVES, SOURCE_VALUES, SOURCES, SPLIT_VALUES, SPLITS } from "../../_components/words";

/** A tag has at least one character: `tag=` in a URL is not a filter. */
const parseAsTag = createParser<string>({ parse: (text) => text || null, serialize: (tag) => tag });

export const TABS = ["examples", "overview", "versions", "settings"] as const;

/** The page's state, stored in the URL: the tab, the filters of its Examples, and the versions being compared. */
export const viewParsers = {
  tab: parseAsStringLiteral(TABS).withDefault("examples"),
  q: parseAsString.withDefault(""),
  split: parseAsNativeArrayOf(parseAsStringLiteral(SPLIT_VALUES)),
  source: parseAsNativeArrayOf(parseAsStringLiteral(SOURCE_VALUES)),
  objective: parseAsNativeArrayOf(parseAsStringLiteral(OBJECTIVE_VALUES)),
  tag: parseAsNativeArrayOf(parseAsTag),
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
  ...(view.split.length > 0 ? { split: view.split } : {}),
  ...(view.source.length > 0 ? { source: view.source } : {}),
  ...(view.objective.length > 0 ? { objective: view.objective } : {}),
  ...(view.tag.length > 0 ? { tag: view.tag.slice(0, SEVERAL_MAX) } : {}),
  ...(view.conversation ? { conversationId: view.conversation } : {}),
});

/** Returns the filters of what the list shows, as its facets take them. */
export function facetsInput(projectId: string, datasetId: string, view: View) {
  const { limit: _, ...filters } = examplesInput(projectId, datasetId, view);
  return filters;
}

export const NO_FILTERS = { q: null, split: null, source: null, objective: null, tag: null, conversation: null };

/** A filter of the sidebar, and the view without it. */
type ChosenFilter = { id: string; text: string; without: Partial<View> };

/** Returns the sidebar's filters that are active. */
export function chosenFilters({ split, source, objective, tag, conversation }: View): ChosenFilter[] {
  const each = <Name extends "split" | "source" | "objective" | "tag">(
    name: Name,
    values: readonly View[Name][number][],
    words: (value: View[Name][number]) => string,
  ): ChosenFilter[] =>
    values.map((value) => ({
      id: `${name}:${value}`,
      text: words(value),
      without: { [name]: values.filter((other) => other !== value) },
    }));
  return [
    ...each("split", split, (value) => `Split: ${SPLITS[value]}`),
    ...each("source", source, (value) => `Source: ${SOURCES[value]}`),
    ...each("objective", objective, (value) => `Objective: ${OBJECTIVES[value].name}`),
    ...each("tag", tag, (value) => `Tag: ${value}`),
    ...(conversation === null
      ? []
      : [{ id: "conversation", text: `Conversation: ${conversation}`, without: { conversation: null } }]),
  ];
}

export const isFiltered = (view: View) => view.q.trim() !== "" || chosenFilters(view).length > 0;
