import { createLoader, parseAsString } from "nuqs/server";
import { listParsers } from "@/app/_components/data-table/list-view";

export const viewParsers = { checkpoint: parseAsString, finding: parseAsString, ...listParsers };
export const loadView = createLoader(viewParsers);
export type View = Awaited<ReturnType<typeof loadView>>;

const PAGE = 50;
export const listInput = (projectId: string, view: Pick<View, "checkpoint" | "finding">) => ({
  projectId,
  limit: PAGE,
  ...(view.checkpoint !== null ? { checkpointId: view.checkpoint } : {}),
  ...(view.finding !== null ? { findingId: view.finding } : {}),
});
export const NO_FILTERS = { checkpoint: null, finding: null };
