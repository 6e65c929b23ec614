import { z } from "zod";
import { ACTOR_KINDS, IMPORT_DUPLICATES, IMPORT_ON_ERROR, IMPORT_STATUSES } from "@/db/schema/enumerations";
import { idInput, pageInput, pagination } from "@/server/platform/schemas";
import { COLUMN_ROLES, IMPORT_FORMATS } from "../formats/schemas";

/** The statuses of an unfinished import. */
export const UNFINISHED_IMPORT_STATUSES = ["queued", "validating", "storing", "cancelling"] as const;
/** Unusable rows that the import itself lists; its rejects contain all of them. */
export const IMPORT_ERRORS_LISTED = 100;
const COLUMNS_MAX = 500;

const mapping = z
  .record(z.string().min(1).max(200), z.enum(COLUMN_ROLES))
  .refine((given) => Object.keys(given).length <= COLUMNS_MAX, `At most ${COLUMNS_MAX} columns.`)
  .meta({ examples: [{ question: "input", answer: "expectedOutput", notes: "ignore" }] });

const file = {
  datasetId: idInput,
  fileId: idInput,
  /** Default: detected from the file's first bytes. */
  format: z.enum(IMPORT_FORMATS).optional(),
  /** The role of each column of a CSV or Parquet file, or key of a JSON row. Those left out are guessed. */
  mapping: mapping.optional(),
};

export const previewImportInput = z.strictObject(file);
export const createImportInput = z.strictObject({
  ...file,
  /**
   * `all_or_nothing` checks the whole file first and stores nothing if any row is unusable; `good_rows` stores the usable ones.
   */
  onError: z.enum(IMPORT_ON_ERROR).default("all_or_nothing"),
  /**
   * For a row whose id, external reference or content matches an Example of the Dataset: `skip` leaves that Example unchanged,
   * `update` overwrites its content with the row's, `keep` stores the row as another Example. Equal content is never stored
   * twice.
   */
  duplicates: z.enum(IMPORT_DUPLICATES).default("skip"),
});
export const importInput = z.strictObject({ datasetId: idInput, importId: idInput });
export const listImportsInput = z.strictObject({ datasetId: idInput, ...pageInput });

const problem = z.object({ severity: z.enum(["error", "warning"]), message: z.string() });

export const importPreviewReply = z.object({
  preview: z.object({
    fileName: z.string(),
    bytes: z.int(),
    format: z.enum(IMPORT_FORMATS),
    /** The recognized format of its rows, such as `openai_chat`; `columns` if the roles were guessed from their names. */
    shape: z.string(),
    /** Columns, or the keys of the first JSON row. */
    columns: z.array(z.string()),
    mapping: z.record(z.string(), z.enum(COLUMN_ROLES)),
    /** Whether rows can be read with this mapping: some column must contain the answer or the whole conversation. */
    usable: z.boolean(),
    /** The first rows, each with its problems. An unusable row has no `payload`. */
    rows: z.array(
      z.object({
        line: z.int(),
        /** The row as in the file, cut to 2,000 characters. */
        raw: z.string(),
        payload: z.unknown().optional(),
        problems: z.array(problem),
      }),
    ),
    /** The first `rowsChecked` rows, and whether they are the whole file. */
    rowsChecked: z.int(),
    complete: z.boolean(),
    rowsUsable: z.int(),
    /** Problems of unusable rows among them, the most frequent first, each with the first line that has it. */
    problems: z.array(z.object({ message: z.string(), rows: z.int(), firstLine: z.int() })),
    /** Parts of rows that are not stored, each reported once. */
    warnings: z.array(z.object({ message: z.string(), line: z.int() })),
  }),
});
export type ImportPreview = z.infer<typeof importPreviewReply>["preview"];

/** An import of a file, which becomes one version. Times are Unix ms. */
export const datasetImport = z.object({
  id: z.string(),
  datasetId: z.string(),
  fileId: z.string(),
  fileName: z.string(),
  format: z.enum(IMPORT_FORMATS),
  mapping: z.record(z.string(), z.enum(COLUMN_ROLES)).nullable(),
  onError: z.enum(IMPORT_ON_ERROR),
  duplicates: z.enum(IMPORT_DUPLICATES),
  /**
   * `validating` the whole file, for `all_or_nothing` only; then `storing`. After `failed` and `cancelled`, `error` says what
   * stays.
   */
  status: z.enum(IMPORT_STATUSES),
  /** Rows that are finally stored or rejected. */
  rowsDone: z.int(),
  /** Rows found usable so far. */
  rowsValid: z.int(),
  created: z.int(),
  updated: z.int(),
  /** Rows whose content or reference an existing Example had. */
  duplicate: z.int(),
  /** Unusable rows. `datasetImports.downloadRejects` returns them while the file exists. */
  rejected: z.int(),
  /** The first few of them. */
  errors: z.array(z.object({ line: z.int(), message: z.string() })),
  /** Bytes of the file read in the current status, out of `bytesTotal`. */
  bytesDone: z.int(),
  bytesTotal: z.int(),
  /** Recent rows per second; `null` until measured. */
  rate: z.number().nullable(),
  /** Milliseconds until this status is expected to end; `null` when unknown or ended. */
  etaMs: z.number().nullable(),
  /** The Dataset version that contains its changes; `null` if it changed nothing. */
  version: z.int().nullable(),
  error: z.string().nullable(),
  /** When its file was deleted because it contained Examples of a deleted user or conversation; `null` otherwise. */
  fileErasedAt: z.number().nullable(),
  actorKind: z.enum(ACTOR_KINDS),
  actorId: z.string().nullable(),
  createdAt: z.number(),
  startedAt: z.number().nullable(),
  cancelledAt: z.number().nullable(),
  finishedAt: z.number().nullable(),
});
export type DatasetImport = z.infer<typeof datasetImport>;

export const importReply = z.object({ import: datasetImport });
/** The reply for callers who may start and cancel an import but not read the Dataset. */
export const requestedImportReply = z.object({
  import: datasetImport.pick({
    id: true,
    datasetId: true,
    fileId: true,
    onError: true,
    duplicates: true,
    status: true,
    createdAt: true,
    cancelledAt: true,
    finishedAt: true,
  }),
});
export const importsReply = z.object({ imports: z.array(datasetImport), pagination });
