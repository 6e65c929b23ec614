import { arrayScanner, type FileRecord, lineScanner, recordsOf } from "./records";
import { type FileRow, isRecord, type Table } from "./table";
import type { RandomAccess } from "./types";

function rowOf({ line, text, problem, truncated }: FileRecord): FileRow {
  if (problem !== undefined) return { line, raw: text, problem, ...(truncated && { rawTruncated: truncated }) };
  try {
    const values: unknown = JSON.parse(text);
    return isRecord(values) ? { line, raw: text, values } : { line, raw: text, problem: "Is not a JSON object" };
  } catch (error) {
    return { line, raw: text, problem: `Is not JSON: ${error instanceof Error ? error.message : error}` };
  }
}

async function* lines(file: RandomAccess, start: number) {
  for await (const records of recordsOf(file, start, lineScanner())) yield records.map(rowOf);
}

async function* elements(file: RandomAccess, start: number) {
  const scanner = arrayScanner();
  for await (const records of recordsOf(file, start, scanner)) yield records.map(rowOf);
  if (!scanner.isDone()) {
    yield [{ line: 1, raw: "", problem: "The array has no closing bracket: the file may have been cut off" }];
  }
}

/** Opens a file of one JSON object a line; `start` is where its text begins, after a byte order mark. */
export const openJsonLines = (file: RandomAccess, start: number): Table => ({
  kind: "jsonl",
  batches: () => lines(file, start),
});

/** Opens a file that is one JSON array of objects; `start` is where its elements begin, after the opening bracket. */
export const openJsonArray = (file: RandomAccess, start: number): Table => ({
  kind: "json",
  batches: () => elements(file, start),
});
