export const SPLITS = ["train", "validation", "test"] as const;
export type Split = (typeof SPLITS)[number];

export const IMPORT_FORMATS = ["jsonl", "json", "csv", "parquet"] as const;
export type FileKind = (typeof IMPORT_FORMATS)[number];

/** The role of a CSV or Parquet column, or of a top-level key of a JSON row, in an Example. */
export const COLUMN_ROLES = [
  "messages",
  "input",
  "expectedOutput",
  "rejectedOutput",
  "system",
  "tools",
  "weight",
  "tags",
  "split",
  "externalRef",
  "id",
  "sourceKind",
  "sourceRef",
  "source",
  "payload",
  "status",
  "label",
  "ignore",
] as const;
export type Role = (typeof COLUMN_ROLES)[number];

/** The formats recognized by a row's keys or columns; `columns` is none of them, and its roles are guessed. */
export const SHAPES = [
  "lossless",
  "table",
  "langfuse",
  "openai_preference",
  "preference",
  "openpipe",
  "sharegpt",
  "openai_chat",
  "kto",
  "prompt_completion",
  "columns",
] as const;
export type Shape = (typeof SHAPES)[number];

type FormatFile = {
  mediaType: string;
  /** Without a dot. */
  extension: string;
  /** What the format cannot represent of an Example, for people to read before they export. */
  losses: readonly string[];
};

const jsonl = (...losses: string[]): FormatFile => ({ mediaType: "application/jsonl", extension: "jsonl", losses });
const META = "Ids, tags, splits and sources are left out";
const REJECTED = "Rejected answers are left out";
const WEIGHTS = "Weights other than 0 and 1 are left out, and Examples with weight 0 are skipped";
const PAIRS = "Examples without a rejected answer are skipped";

/** Properties of each format's files. */
export const FILE_OF = {
  lossless: jsonl(),
  openai_chat: jsonl(
    "Earlier answers without a weight get weight 0, and weights between 0 and 1 become 1",
    REJECTED,
    "Examples without an answer to train on are skipped",
    META,
  ),
  openai_preference: jsonl(PAIRS, "Weights are left out", META),
  trl_sft: jsonl(
    "Earlier answers of the assistant are trained on too, whatever their weights, unless the trainer masks them",
    REJECTED,
    WEIGHTS,
    META,
  ),
  trl_prompt_completion: jsonl(REJECTED, WEIGHTS, META),
  trl_dpo: jsonl(PAIRS, "Weights are left out", META),
  trl_kto: jsonl(
    "A rejected answer becomes a row of its own with label false; without any, all labels are true",
    WEIGHTS,
    META,
  ),
  csv: { mediaType: "text/csv; charset=utf-8", extension: "csv", losses: [] },
  parquet: { mediaType: "application/vnd.apache.parquet", extension: "parquet", losses: [] },
} as const satisfies Record<string, FormatFile>;

export type ExportFormat = keyof typeof FILE_OF;
export const DATASET_FORMATS = Object.keys(FILE_OF) as [ExportFormat, ...ExportFormat[]];

/** Columns of a table, or keys of a JSON object. Files of training Examples have a dozen. */
export const COLUMNS_MAX = 1_024;
/** Rows of a Parquet row group, which is read as a whole: what pyarrow and DuckDB write at most by default. */
export const GROUP_ROWS_MAX = 1_048_576;

const MIB = 1024 * 1024;
/**
 * Maximum bytes of one record. A longer one is reported as an error, so that memory stays constant for any file. A payload has
 * at most 1 MiB; the rest of the row, and the quotes that CSV doubles, come on top.
 */
export const RECORD_BYTES = 3 * MIB;

/** What a file may have, for those who make one. */
export const FILE_LIMITS = `A row has at most ${RECORD_BYTES / MIB} MiB and ${COLUMNS_MAX.toLocaleString("en")} columns or keys, a row group of Parquet at most ${GROUP_ROWS_MAX.toLocaleString("en")} rows.`;
