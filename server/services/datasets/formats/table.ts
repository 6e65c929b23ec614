import type { FileKind } from "./schemas";

/** One row as stored in its file: keys or columns with their values, or why it cannot be read. */
export type FileRow = { line: number; raw: string; rawTruncated?: true } & (
  | { values: Record<string, unknown> }
  | { problem: string }
);

/** An opened file. */
export type Table = {
  kind: FileKind;
  /** Of a CSV or Parquet file; a JSON row names its own keys. */
  columns?: string[];
  /** The first line of a CSV file, which is repeated in the file of its rejected rows. */
  header?: string;
  /** Yields the rows in batches. */
  batches(): AsyncGenerator<FileRow[]>;
};

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
