import { createLoader, parseAsBoolean, parseAsString } from "nuqs/server";
import { listParsers } from "@/app/_components/data-table/list-view";
import { DATASET_SEARCH_CHARACTERS } from "@/server/services/datasets/datasets/schemas";

/** A search for the name, the list's order and columns, and whether the dialog for a new Dataset is open. */
export const viewParsers = {
  q: parseAsString.withDefault(""),
  new: parseAsBoolean.withDefault(false),
  ...listParsers,
};

export const loadView = createLoader(viewParsers);
export type View = Awaited<ReturnType<typeof loadView>>;

export const listInput = (projectId: string, { q }: Pick<View, "q">) => ({
  projectId,
  limit: 50,
  ...(q.trim() ? { q: q.trim().slice(0, DATASET_SEARCH_CHARACTERS) } : {}),
});

export const datasetHref = (projectId: string, datasetId: string) =>
  `/p/${encodeURIComponent(projectId)}/datasets/${encodeURIComponent(datasetId)}`;

export const exampleHref = (projectId: string, datasetId: string, exampleId: string) =>
  `${datasetHref(projectId, datasetId)}/examples/${encodeURIComponent(exampleId)}`;
