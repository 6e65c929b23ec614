import { createLoader, createSerializer, parseAsArrayOf, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { listParsers } from "@/app/_components/data-table/list-view";
import { STATUSES } from "../../_components/training/words";

export const viewParsers = {
  status: parseAsStringLiteral(STATUSES),
  dataset: parseAsString,
  config: parseAsString,
  ...listParsers,
};
export const loadView = createLoader(viewParsers);
export type View = Awaited<ReturnType<typeof loadView>>;
export const serializeView = createSerializer(viewParsers);

const PAGE = 50;
export const listInput = (projectId: string, view: Pick<View, "status" | "dataset" | "config">) => ({
  projectId,
  limit: PAGE,
  ...(view.status !== null ? { status: view.status } : {}),
  ...(view.dataset !== null ? { datasetId: view.dataset } : {}),
  ...(view.config !== null ? { tuningConfigId: view.config } : {}),
});
export const isFiltered = (view: View) => view.status !== null || view.dataset !== null || view.config !== null;
export const NO_FILTERS = { status: null, dataset: null, config: null };

/** The lines of more runs than this cannot be told apart in a chart. */
export const COMPARED_MAX = 4;
export const loadCompared = createLoader({ jobs: parseAsArrayOf(parseAsString).withDefault([]) });
