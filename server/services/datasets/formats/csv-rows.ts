import { parse } from "csv-parse/sync";
import { requireFewColumns } from "./limits";
import { csvScanner, type FileRecord, recordsOf } from "./records";
import { RECORD_BYTES } from "./schemas";
import type { FileRow, Table } from "./table";
import { type RandomAccess, UnreadableFile } from "./types";

const DELIMITERS = [",", ";", "\t", "|"];

const parseText = (text: string, delimiter: string): string[][] =>
  parse(text, {
    delimiter,
    record_delimiter: ["\n"],
    relax_column_count: true,
    skip_empty_lines: false,
    max_record_size: 0,
  }) as string[][];

/**
 * Returns each record's cells, or why they cannot be read. Parses all records together, and one by one only if one is invalid.
 */
function cellsOf(texts: string[], delimiter: string): (string[] | Error)[] {
  try {
    const rows = parseText(texts.join("\n"), delimiter);
    if (rows.length === texts.length) return rows;
  } catch {
    // One of the records is invalid.
  }
  return texts.map((text) => {
    try {
      const rows = parseText(text, delimiter);
      return rows.length === 1 && rows[0] ? rows[0] : new Error("Cannot be read as one row");
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  });
}

/** Makes column names unique: an unnamed one is named by its position, a repeated one gets a number. */
function columnsOf(names: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return names.map((name, index) => {
    const own = name.trim() || `column ${index + 1}`;
    const count = (seen.get(own) ?? 0) + 1;
    seen.set(own, count);
    return count === 1 ? own : `${own} (${count})`;
  });
}

function rowOf({ line, text: raw }: FileRecord, cells: string[] | Error, columns: readonly string[]): FileRow {
  if (cells instanceof Error) return { line, raw, problem: `Is not CSV: ${cells.message}` };
  if (cells.length > columns.length) {
    return { line, raw, problem: `Has ${cells.length} cells, but the header has ${columns.length}` };
  }
  return { line, raw, values: Object.fromEntries(cells.map((cell, index) => [columns[index], cell])) };
}

async function* rows(file: RandomAccess, start: number, delimiter: string, columns: readonly string[]) {
  let isHeader = true;
  for await (const all of recordsOf(file, start, csvScanner(delimiter.charCodeAt(0)))) {
    const records = isHeader ? all.slice(1) : all;
    if (all.length > 0) isHeader = false;
    const good = records.filter(({ problem }) => problem === undefined);
    const cells = cellsOf(
      good.map(({ text }) => text),
      delimiter,
    );
    const read = new Map(good.map((record, index) => [record, cells[index] ?? new Error("Is empty")]));
    yield records.map((record): FileRow => {
      const own = read.get(record);
      if (own) return rowOf(record, own, columns);
      const { line, text: raw, problem = "Cannot be read", truncated } = record;
      return { line, raw, problem, ...(truncated && { rawTruncated: truncated }) };
    });
  }
}

/** Returns the delimiter that occurs most often in the header outside quotes. */
function delimiterOf(header: string): string {
  const bare = header.replaceAll(/"(?:[^"]|"")*"/g, "");
  const counts = DELIMITERS.map((delimiter) => bare.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ",";
}

/** Opens a CSV file; its first record names the columns. */
export async function openCsv(file: RandomAccess, start: number): Promise<Table> {
  const guessed = delimiterOf((await firstRecord(file, start, ",")).text);
  const header = await firstRecord(file, start, guessed);
  if (header.problem !== undefined) throw new UnreadableFile(`The first line cannot be read. ${header.problem}`);
  const [names] = cellsOf([header.text], guessed);
  if (!names || names instanceof Error) {
    throw new UnreadableFile(`The first line does not name columns: ${names?.message ?? "it is empty"}`);
  }
  requireFewColumns(names.length);
  const columns = columnsOf(names);
  return { kind: "csv", columns, header: header.text, batches: () => rows(file, start, guessed, columns) };
}

/** Reads at most the length of one record, so that an unclosed quote does not cause the whole file to be read. */
async function firstRecord(file: RandomAccess, start: number, delimiter: string): Promise<FileRecord> {
  const head: RandomAccess = {
    size: Math.min(file.size, start + RECORD_BYTES + 1),
    read: (from, end) => file.read(from, end),
  };
  for await (const [first] of recordsOf(head, start, csvScanner(delimiter.charCodeAt(0)))) if (first) return first;
  throw new UnreadableFile("The file is empty");
}
