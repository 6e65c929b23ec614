import { parseAsBoolean } from "nuqs/server";
import { listParsers } from "@/app/_components/data-table/list-view";

/** The list's order and columns, and whether the dialog for a new Dataset is open. */
export const viewParsers = { new: parseAsBoolean.withDefault(false), ...listParsers };

export const listInput = (projectId: string) => ({ projectId, limit: 50 });

export const datasetHref = (projectId: string, datasetId: string) =>
  `/p/${encodeURIComponent(projectId)}/datasets/${encodeURIComponent(datasetId)}`;

export const exampleHref = (projectId: string, datasetId: string, exampleId: string) =>
  `${datasetHref(projectId, datasetId)}/examples/${encodeURIComponent(exampleId)}`;
