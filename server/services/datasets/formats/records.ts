import { chunksOf } from "./random-access";
import { RECORD_BYTES } from "./schemas";
import type { RandomAccess } from "./types";

/** Bytes of an overlong record that are reported. */
const EXCERPT_BYTES = 2_000;

export const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [COMMA, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x2c, 0x5b, 0x5d, 0x7b, 0x7d];

/** One record's text without its terminator, or why it is missing. */
export type FileRecord = { line: number; text: string; problem?: string; truncated?: true };

/**
 * Finds the end of the record that contains `from` in `chunk`: returns the index of its terminator, or -1 if the chunk ends
 * first. Keeps its state between chunks.
 */
export type Scanner = {
  find(chunk: Uint8Array, from: number): number;
  /** Whether white space around a record is part of it. */
  keepsSpace?: boolean;
};

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

/** Buffers the bytes of the record being read, up to a limit. */
function createPending() {
  let parts: Uint8Array[] = [];
  let length = 0;
  return {
    add(part: Uint8Array) {
      if (length <= RECORD_BYTES) parts.push(part);
      length += part.length;
    },
    take(): { bytes: Uint8Array; length: number } {
      const bytes = parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts);
      const taken = { bytes, length };
      parts = [];
      length = 0;
      return taken;
    },
    isEmpty: () => length === 0,
  };
}

function newlinesIn(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}

function recordOf({ bytes, length }: { bytes: Uint8Array; length: number }, line: number): FileRecord {
  if (length > RECORD_BYTES) {
    const problem = `Is longer than ${RECORD_BYTES / 1024 / 1024} MiB (${length} bytes)`;
    return { line, text: lenient.decode(bytes.subarray(0, EXCERPT_BYTES)), problem, truncated: true };
  }
  try {
    return { line, text: strict.decode(bytes) };
  } catch {
    return { line, text: lenient.decode(bytes), problem: "Is not valid UTF-8; save the file as UTF-8" };
  }
}

/** Splits a file into records from `start` on, one chunk's worth at a time. Empty records are skipped. */
export async function* recordsOf(
  file: RandomAccess,
  start: number,
  scanner: Scanner,
  firstLine = 1,
): AsyncGenerator<FileRecord[]> {
  const pending = createPending();
  let line = firstLine;
  let lines = 0; // newlines inside the pending record
  const take = (into: FileRecord[]) => {
    const record = recordOf(pending.take(), line);
    const text = record.text.trimStart();
    const before = record.text.slice(0, record.text.length - text.length);
    if (text !== "" && scanner.keepsSpace) into.push({ ...record, text: record.text.replace(/\r$/, "") });
    else if (text !== "") into.push({ ...record, line: line + before.split("\n").length - 1, text: text.trimEnd() });
    line += lines;
    lines = 0;
  };
  for await (const chunk of chunksOf(file, start)) {
    const records: FileRecord[] = [];
    let from = 0;
    while (from < chunk.length) {
      const end = scanner.find(chunk, from);
      const part = chunk.subarray(from, end < 0 ? chunk.length : end);
      pending.add(part);
      lines += newlinesIn(part);
      if (end < 0) break;
      if (chunk[end] === NEWLINE) lines++;
      take(records);
      from = end + 1;
    }
    yield records;
  }
  const last: FileRecord[] = [];
  if (!pending.isEmpty()) take(last);
  yield last;
}

/** Treats each line as a record. */
export const lineScanner = (): Scanner => ({ find: (chunk, from) => chunk.indexOf(NEWLINE, from) });

/**
 * Treats each line as a record, except that a quoted cell may contain line breaks (RFC 4180). Splitting and parsing are two
 * steps because the library's own reader neither resumes after an overlong record nor numbers lines right after a quoted CRLF.
 */
export function csvScanner(delimiter: number): Scanner {
  let state: "start" | "plain" | "quoted" | "closing" = "start";
  return {
    keepsSpace: true,
    find(chunk, from) {
      for (let at = from; at < chunk.length; at++) {
        if (state === "quoted") {
          const quote = chunk.indexOf(QUOTE, at);
          if (quote < 0) return -1;
          at = quote;
          state = "closing"; // the end of the cell, or the first of two quotes
          continue;
        }
        const byte = chunk[at];
        if (byte === NEWLINE) {
          state = "start";
          return at;
        }
        if (byte === QUOTE && state !== "plain") state = "quoted";
        else state = byte === delimiter ? "start" : "plain";
      }
      return -1;
    },
  };
}

/**
 * Treats each element of a JSON array as a record, after its opening bracket; what follows the array is one more record. No
 * library preserves an element's text and line.
 */
export function arrayScanner(): Scanner & { isDone(): boolean } {
  let depth = 0;
  let inString = false;
  let escaped = false;
  let done = false;
  return {
    isDone: () => done,
    find(chunk, from) {
      if (done) return -1;
      for (let at = from; at < chunk.length; at++) {
        const byte = chunk[at];
        if (inString) {
          if (escaped) escaped = false;
          else if (byte === BACKSLASH) escaped = true;
          else if (byte === QUOTE) inString = false;
        } else if (byte === QUOTE) inString = true;
        else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth++;
        else if (depth > 0) depth -= byte === CLOSE_ARRAY || byte === CLOSE_OBJECT ? 1 : 0;
        else if (byte === CLOSE_ARRAY) {
          done = true;
          return at;
        } else if (byte === COMMA) return at;
      }
      return -1;
    },
  };
}
