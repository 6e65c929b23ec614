import { formatCount, plural } from "@/app/_lib/format";
import type { Role } from "@/server/services/datasets/formats/schemas";
import type { DatasetImport } from "@/server/services/datasets/imports/schemas";

/** What a column can be, in the order offered. */
export const ROLE_WORDS: Record<Role, string> = {
  ignore: "Ignore",
  input: "Question",
  expectedOutput: "Expected answer",
  rejectedOutput: "Rejected answer",
  messages: "Whole conversation",
  system: "System message",
  tools: "Tools",
  weight: "Weight",
  tags: "Tags",
  split: "Split",
  externalRef: "External reference",
  id: "Example ID",
  payload: "Whole payload",
  source: "Source",
  sourceKind: "Source kind",
  sourceRef: "Source reference",
  status: "Status (archived rows are left out)",
  label: "Label (good or bad answer)",
};

export const SHAPE_WORDS: Record<string, string> = {
  lossless: "exported from a Dataset",
  table: "exported from a Dataset",
  langfuse: "exported from Langfuse",
  openpipe: "exported from OpenPipe",
  openai_preference: "OpenAI preference pairs",
  preference: "preference pairs (chosen and rejected)",
  sharegpt: "ShareGPT conversations",
  openai_chat: "OpenAI chat messages",
  kto: "completions with a label",
  prompt_completion: "prompts and completions",
  columns: "a table; the columns were guessed from their names",
};

export const FORMAT_WORDS: Record<DatasetImport["format"], string> = {
  jsonl: "JSONL",
  json: "JSON",
  csv: "CSV",
  parquet: "Parquet",
};

export const isRunning = ({ status }: Pick<DatasetImport, "status">) =>
  status === "queued" || status === "validating" || status === "storing" || status === "cancelling";

/** Returns the number of rows processed in the current phase. */
export const rowsRead = ({ status, rowsDone, rowsValid, rejected }: DatasetImport) =>
  status === "validating" ? rowsValid + rejected : rowsDone;

/** What an import did with its rows: `96 created, 2 updated, 1 duplicate, 1 rejected`. */
export function resultWords({ created, updated, duplicate, rejected }: DatasetImport): string {
  const parts = [
    `${formatCount(created)} created`,
    ...(updated > 0 ? [`${formatCount(updated)} updated`] : []),
    ...(duplicate > 0 ? [`${plural(duplicate, "duplicate")} left out`] : []),
    ...(rejected > 0 ? [`${formatCount(rejected)} rejected`] : []),
  ];
  return parts.join(", ");
}

/** Returns what a cancelled or failed import leaves in the Dataset. */
export function remainsWords({ status, onError, version, rowsDone }: DatasetImport): string | null {
  if (status !== "cancelled" && status !== "failed") return null;
  if (onError === "all_or_nothing" || version === null) return "Nothing from the file is in the Dataset.";
  return `The content of the first ${plural(rowsDone, "row")} stays in the Dataset, as version ${version}.`;
}

export const rejectsHref = (projectId: string, { datasetId, id }: Pick<DatasetImport, "datasetId" | "id">) =>
  `/v1/projects/${projectId}/datasets/${datasetId}/imports/${id}/rejects`;
