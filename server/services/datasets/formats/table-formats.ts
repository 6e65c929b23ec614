import { stringify } from "csv-stringify/sync";
import type { SchemaElement } from "hyparquet";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { TABLE_COLUMNS } from "./shapes";
import type { ExampleRow, Source } from "./types";

const MIB = 1024 * 1024;
/** Characters per Parquet row group. Readers, including ours, load one group at a time. */
const GROUP_CHARACTERS = 8 * MIB;
const CSV_CHARACTERS = 64 * 1024;
const BYTE_ORDER_MARK = "\ufeff";

type Column = keyof typeof TABLE_COLUMNS;
type TableRow = Record<Column, string | null>;
const COLUMNS = Object.keys(TABLE_COLUMNS) as Column[];

/** Returns the part of a source that has no columns of its own, as JSON. */
function linkOf({ kind: _, externalRef: __, ...link }: Source): string | null {
  return Object.keys(link).length === 0 ? null : JSON.stringify(link);
}

const rowOf = ({ id, externalRef, split, tags, source, payload }: ExampleRow): TableRow => ({
  id: id ?? null,
  external_ref: externalRef ?? null,
  split: split ?? null,
  tags: tags ? JSON.stringify(tags) : null,
  source_kind: source?.kind ?? null,
  source_ref: source?.externalRef ?? null,
  source_link: source ? linkOf(source) : null,
  input: JSON.stringify(payload.input),
  expected_output: JSON.stringify(payload.expectedOutput),
  rejected_output: payload.rejectedOutput ? JSON.stringify(payload.rejectedOutput) : null,
});

const sizeOf = (row: TableRow) => COLUMNS.reduce((sum, column) => sum + (row[column]?.length ?? 0), 0);

/** Groups rows into groups of about that many characters. */
async function* groupsOf(rows: AsyncIterable<ExampleRow>, characters: number): AsyncGenerator<TableRow[]> {
  let group: TableRow[] = [];
  let size = 0;
  for await (const example of rows) {
    const row = rowOf(example);
    group.push(row);
    size += sizeOf(row);
    if (size < characters) continue;
    yield group;
    group = [];
    size = 0;
  }
  if (group.length > 0) yield group;
}

/** A spreadsheet runs a cell that begins with one of these; a leading quote makes it text, and is removed on reading. */
const FORMULA = /^['=+\-@\t\r]/;
const inert = (cell: string | null) => (cell !== null && FORMULA.test(cell) ? `'${cell}` : cell);

/** Writes CSV that spreadsheets open as UTF-8: CRLF, quoted where needed, no formulas. */
export async function* writeCsv(rows: AsyncIterable<ExampleRow>): AsyncGenerator<Uint8Array> {
  // By default the library quotes only complete CRLFs, so a single CR or LF would end the row.
  const options = { record_delimiter: "windows", quoted_match: /[\r\n]/ } as const;
  yield Buffer.from(BYTE_ORDER_MARK + stringify([COLUMNS], options));
  for await (const group of groupsOf(rows, CSV_CHARACTERS)) {
    const cells = group.map((row) => COLUMNS.map((column) => inert(row[column])));
    yield Buffer.from(stringify(cells, options));
  }
}

const SCHEMA: SchemaElement[] = [
  { name: "root", num_children: COLUMNS.length },
  ...COLUMNS.map(
    (name): SchemaElement => ({
      name,
      type: "BYTE_ARRAY",
      converted_type: "UTF8",
      logical_type: { type: "STRING" },
      repetition_type: "OPTIONAL",
    }),
  ),
];

/** Writes Parquet with the same columns as the CSV; every column is text. */
export async function* writeParquet(rows: AsyncIterable<ExampleRow>): AsyncGenerator<Uint8Array> {
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({ writer: bytes, schema: SCHEMA, createdBy: "whetstone" });
  const drain = () => {
    const written = bytes.getBytes().slice();
    bytes.index = 0; // the offset, from which the footer is computed, continues
    return written;
  };
  for await (const group of groupsOf(rows, GROUP_CHARACTERS)) {
    const columnData = COLUMNS.map((name) => ({ name, data: group.map((row) => row[name]) }));
    await writer.write({ columnData, rowGroupSize: group.length });
    yield drain();
  }
  await writer.finish();
  yield drain();
}
