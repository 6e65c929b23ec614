import { openTable } from "../open-table";
import { notKept, type ReadRow, readRow } from "../read-row";
import type { FileKind, Shape } from "../schemas";
import { isComplete, type Recognized, recognize } from "../shapes";
import type { FileRow, Table } from "../table";
import { type Draft, type Mapping, type RandomAccess, type ReadItem, type ReadOptions, UnreadableFile } from "../types";

/**
 * Returns a function that recognizes a row by its keys, memoized: most files have one set of keys, and few have more than a
 * handful.
 */
function createRecognizer(given: Mapping | undefined) {
  const known = new Map<string, Recognized>();
  return (names: readonly string[]): Recognized => {
    const key = names.join("\n");
    const recognized = known.get(key) ?? withGiven(recognize(names), given);
    if (known.size < 1_000) known.set(key, recognized);
    return recognized;
  };
}

const withGiven = ({ shape, mapping }: Recognized, given: Mapping | undefined): Recognized =>
  given ? { shape, mapping: { ...mapping, ...given } } : { shape, mapping };

type Recognizer = ReturnType<typeof createRecognizer>;

/** A table's columns are known before its rows, so a mapping without an answer is an error of the file. */
function requireAnswer({ kind, columns }: Table, recognizer: Recognizer) {
  if (!columns || isComplete(recognizer(columns).mapping)) return;
  throw new UnreadableFile(
    `No column of the ${kind === "csv" ? "CSV" : "Parquet"} file (${columns.slice(0, 20).join(", ")}) was recognized as a conversation or an answer; choose one`,
  );
}

function read(
  row: FileRow,
  { kind, columns }: Table,
  recognizer: Recognizer,
  note: (message: string) => void,
): ReadRow {
  if ("problem" in row) return { problem: row.problem };
  const recognized = recognizer(columns ?? Object.keys(row.values));
  if (!isComplete(recognized.mapping)) {
    const keys = Object.keys(row.values).slice(0, 8).join(", ");
    return { problem: `Is in an unknown format: no conversation and no answer among its keys (${keys})` };
  }
  return readRow(row, recognized, kind, note);
}

/** A column that the reader chose to ignore needs no warning. */
const expectedWarnings = (mapping: Mapping = {}) =>
  new Set(Object.keys(mapping).flatMap((name) => (mapping[name] === "ignore" ? [notKept(name)] : [])));

/**
 * Reads a file's rows as drafts of Examples, one at a time and in constant memory. A row that cannot be read is an error with
 * its line and its text; parts of rows that cannot be kept are warnings, each given once per file. Payloads are well-formed,
 * not validated. Throws `UnreadableFile` if nothing, or nothing more, can be read.
 */
export async function* readDrafts(file: RandomAccess, options: ReadOptions = {}): AsyncGenerator<ReadItem> {
  const table = await openTable(file, options.kind);
  const recognizer = createRecognizer(options.mapping);
  requireAnswer(table, recognizer);
  const said = expectedWarnings(options.mapping);
  for await (const rows of table.batches()) {
    for (const row of rows) {
      const { line, raw, rawTruncated } = row;
      const warnings: string[] = [];
      const result = read(row, table, recognizer, (message) => {
        if (said.has(message) || said.size > 1_000) return;
        said.add(message);
        warnings.push(message);
      });
      for (const message of warnings) yield { kind: "warning", line, message };
      if ("draft" in result) yield { kind: "draft", line, draft: result.draft, raw };
      else yield { kind: "error", line, message: result.problem, raw, ...(rawTruncated && { rawTruncated }) };
    }
  }
}

export type PreviewRow = {
  line: number;
  raw: string;
  draft?: Draft;
  problems: { severity: "error" | "warning"; message: string }[];
};

export type FilePreview = {
  kind: FileKind;
  /** The recognized format of the first readable row; `columns` if its roles were guessed. */
  format: Shape;
  /** The columns of a CSV or Parquet file, the keys of the first JSON object. */
  columns: string[];
  mapping: Mapping;
  /** Whether the rows can be read with this mapping; if not, the reader must choose the column with the answer. */
  isComplete: boolean;
  /** The first line of a CSV file. */
  header?: string;
  rows: PreviewRow[];
};

const PREVIEW_ROWS = 10;

/** Returns a file's apparent format and its first rows, each with all its problems. */
export async function previewFile(file: RandomAccess, options: ReadOptions = {}): Promise<FilePreview> {
  const table = await openTable(file, options.kind);
  const recognizer = createRecognizer(options.mapping);
  const first: FileRow[] = [];
  for await (const rows of table.batches()) {
    first.push(...rows.slice(0, PREVIEW_ROWS - first.length));
    if (first.length === PREVIEW_ROWS) break;
  }
  const readable = first.find((row) => "values" in row);
  const columns = table.columns ?? (readable && "values" in readable ? Object.keys(readable.values) : []);
  const { shape, mapping } = recognizer(columns);
  const expected = expectedWarnings(options.mapping);
  const rows = first.map((row): PreviewRow => {
    const messages = new Set<string>();
    const result = read(row, table, recognizer, (message) => expected.has(message) || messages.add(message));
    const warnings = [...messages].map((message) => ({ severity: "warning" as const, message }));
    const { line, raw } = row;
    return "draft" in result
      ? { line, raw, draft: result.draft, problems: warnings }
      : { line, raw, problems: [{ severity: "error", message: result.problem }, ...warnings] };
  });
  const { kind, header } = table;
  return { kind, format: shape, columns, mapping, isComplete: isComplete(mapping), ...(header && { header }), rows };
}
