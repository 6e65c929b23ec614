import { createLoader, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { listParsers } from "@/app/_components/data-table/list-view";
import { EXPORT_STATUSES } from "../../_components/serving/words";

export const viewParsers = {
  status: parseAsStringLiteral(EXPORT_STATUSES),
  checkpoint: parseAsString,
  /** The dialog is open: `new`, or for a checkpoint. */
  export: parseAsString,
  ...listParsers,
};
export const loadView = createLoader(viewParsers);
export type View = Awaited<ReturnType<typeof loadView>>;

const PAGE = 50;
export const listInput = (projectId: string, view: Pick<View, "status" | "checkpoint">) => ({
  projectId,
  limit: PAGE,
  ...(view.status !== null ? { status: view.status } : {}),
  ...(view.checkpoint !== null ? { checkpointId: view.checkpoint } : {}),
});
export const isFiltered = (view: View) => view.status !== null || view.checkpoint !== null;
export const NO_FILTERS = { status: null, checkpoint: null };
