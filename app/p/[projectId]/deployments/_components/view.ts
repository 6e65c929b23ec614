import { createLoader, createSerializer, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { listParsers } from "@/app/_components/data-table/list-view";
import { DEPLOYMENT_STATUSES } from "../../_components/serving/words";

export const PURPOSES = ["service", "playground"] as const;
export const viewParsers = {
  status: parseAsStringLiteral(DEPLOYMENT_STATUSES),
  purpose: parseAsStringLiteral(PURPOSES).withDefault("service"),
  checkpoint: parseAsString,
  /** The checkpoint that the dialog is about to deploy, or `new`. */
  deploy: parseAsString,
  ...listParsers,
};
export const loadView = createLoader(viewParsers);
export type View = Awaited<ReturnType<typeof loadView>>;
export const serializeView = createSerializer(viewParsers);

const PAGE = 50;
export const listInput = (projectId: string, view: Pick<View, "status" | "purpose" | "checkpoint">) => ({
  projectId,
  limit: PAGE,
  purpose: view.purpose,
  ...(view.status !== null ? { status: view.status } : {}),
  ...(view.checkpoint !== null ? { checkpointId: view.checkpoint } : {}),
});
export const isFiltered = (view: View) =>
  view.status !== null || view.checkpoint !== null || view.purpose !== "service";
export const NO_FILTERS = { status: null, checkpoint: null, purpose: null };
