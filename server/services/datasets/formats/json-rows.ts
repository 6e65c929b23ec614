import { tooManyKeys } from "./limits";
import { parseRow } from "./parse-row";
import { arrayScanner, type FileRecord, lineScanner, recordsOf } from "./records";
import { type FileRow, isRecord, type Table } from "./table";
import type { RandomAccess } from "./types";

function rowOf({ line, text, problem, truncated }: FileRecord): FileRow {
  if (problem !== undefined) return { line, raw: text, problem, ...(truncated && { rawTruncated: truncated }) };
  try {
    const values = parseRow(text);
    if (!isRecord(values)) return { line, raw: text, problem: "Is not a JSON object" };
    const tooMany = tooManyKeys(Object.keys(values).length);
    return tooMany === undefined ? { line, raw: text, values } : { line, raw: text, problem: tooMany };
  } catch (error) {
    return { line, raw: text, problem: `Is not JSON: ${error instanceof Error ? error.message : error}` };
  }
}

async function* lines(file: RandomAccess, start: number) {
  for await (const records of recordsOf(file, start, lineScanner())) yield records.map(rowOf);
}

const isJson = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

async function* elements(file: RandomAccess, start: number, opening: string) {
  const scanner = arrayScanner();
  const problem = "Comes after the array, and is ignored";
  let isOver = false;
  for await (const records of recordsOf(file, start, scanner, opening.split("\n").length)) {
    if (!isOver) yield records.map(rowOf);
    else {
      const foreign = records.filter(({ text }) => !isJson(`${opening}]${text}`));
      yield foreign.map((record) => rowOf({ ...record, problem }));
    }
    isOver = scanner.isDone();
  }
  if (!isOver) {
    yield [{ line: 1, raw: "", problem: "The array has no closing bracket: the file may have been cut off" }];
  }
}

/** Opens a file with one JSON object per line; `start` is where its text begins, after a byte order mark. */
export const openJsonLines = (file: RandomAccess, start: number): Table => ({
  kind: "jsonl",
  batches: () => lines(file, start),
});

/** Opens a file whose rows are one JSON array; its elements begin at `start`, after `opening`, which ends with the bracket. */
export const openJsonArray = (file: RandomAccess, start: number, opening: string): Table => ({
  kind: "json",
  batches: () => elements(file, start, opening),
});
