import type { FileKind } from "./schemas";

/** One row as its file holds it: keys or columns and their values, or why it cannot be read. */
export type FileRow = { line: number; raw: string; rawTruncated?: true } & (
  | { values: Record<string, unknown> }
  | { problem: string }
);

/** An opened file. */
export type Table = {
  kind: FileKind;
  /** Of a CSV or Parquet file; a JSON row names its own keys. */
  columns?: string[];
  /** The first line of a CSV file, which a file of its rejected rows starts with. */
  header?: string;
  /** The rows, some at a time. */
  batches(): AsyncGenerator<FileRow[]>;
};

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
