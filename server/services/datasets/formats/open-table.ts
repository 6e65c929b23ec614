import { openCsv } from "./csv-rows";
import { openJsonArray, openJsonLines } from "./json-rows";
import { openParquet } from "./parquet-rows";
import type { FileKind } from "./schemas";
import type { Table } from "./table";
import { type RandomAccess, UnreadableFile } from "./types";

const HEAD_BYTES = 64 * 1024;

/** First bytes of files that are not text, and what to do about each. */
const FOREIGN: readonly { bytes: readonly number[]; advice: string }[] = [
  { bytes: [0x1f, 0x8b], advice: "The file is compressed (gzip); unpack it first" },
  { bytes: [0x28, 0xb5, 0x2f, 0xfd], advice: "The file is compressed (Zstandard); unpack it first" },
  {
    bytes: [0x50, 0x4b, 0x03, 0x04],
    advice: "The file is a spreadsheet or a ZIP archive; save it as CSV, or unpack it",
  },
  { bytes: [0xff, 0xfe], advice: "The file is UTF-16; save it as UTF-8" },
  { bytes: [0xfe, 0xff], advice: "The file is UTF-16; save it as UTF-8" },
];
const PARQUET = [0x50, 0x41, 0x52, 0x31];
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);

const startsWith = (head: Uint8Array, bytes: readonly number[]) => bytes.every((byte, at) => head[at] === byte);

/** A JSON array of rows, either bare or in the reply of a list API such as Langfuse's. */
const ARRAY = /^(?:\[|\{\s*"data"\s*:\s*\[)/;

/**
 * `text` is where the file's text begins, after a byte order mark; `opening` is what precedes the first element of a JSON
 * array.
 */
type Sniffed = { kind: FileKind; text: number; opening: string; elements: number };

/** Detects a file's kind from its first bytes. */
function sniff(head: Uint8Array): Sniffed {
  if (startsWith(head, PARQUET)) return { kind: "parquet", text: 0, opening: "", elements: 0 };
  const foreign = FOREIGN.find(({ bytes }) => startsWith(head, bytes));
  if (foreign) throw new UnreadableFile(foreign.advice);
  const text = startsWith(head, BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  const first = head.findIndex((byte, at) => at >= text && !SPACE.has(byte));
  if (first < 0) throw new UnreadableFile("The file is empty");
  const start = Buffer.from(head.subarray(first)).toString("latin1");
  if (start.startsWith("\0")) throw new UnreadableFile("The file is not text, and not Parquet");
  const opening = ARRAY.exec(start)?.[0] ?? "";
  const kind = opening ? "json" : start.startsWith("{") ? "jsonl" : "csv";
  return { kind, text, opening, elements: first + opening.length };
}

/** Opens a file of any supported kind; throws `UnreadableFile` if no row can be read from it. */
export async function openTable(file: RandomAccess, kind?: FileKind): Promise<Table> {
  const head = await file.read(0, Math.min(file.size, HEAD_BYTES));
  const sniffed = sniff(head);
  if (kind === "parquet" && sniffed.kind !== "parquet") throw new UnreadableFile("The file is not Parquet");
  switch (kind ?? sniffed.kind) {
    case "parquet":
      return openParquet(file);
    case "json":
      if (sniffed.kind !== "json") throw new UnreadableFile("The file is not a JSON array");
      return openJsonArray(file, sniffed.elements, sniffed.opening);
    case "jsonl":
      return openJsonLines(file, sniffed.text);
    case "csv":
      return openCsv(file, sniffed.text);
  }
}
