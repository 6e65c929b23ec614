import { UnreadableFile } from "./types";

/** Columns of a table, or keys of a JSON object. Files of training Examples have a dozen. */
export const COLUMNS_MAX = 1_024;
/** Rows of a Parquet row group, which is read as a whole: what pyarrow and DuckDB write at most by default. */
export const GROUP_ROWS_MAX = 1_048_576;

const count = (value: number) => value.toLocaleString("en");

/** Throws `UnreadableFile` for a table with too many columns. */
export function requireFewColumns(columns: number) {
  if (columns <= COLUMNS_MAX) return;
  throw new UnreadableFile(`The file has ${count(columns)} columns; at most ${count(COLUMNS_MAX)} can be read`);
}

/** Returns what is wrong with a row that has too many keys. */
export const tooManyKeys = (keys: number) =>
  keys <= COLUMNS_MAX ? undefined : `Has ${count(keys)} keys; at most ${count(COLUMNS_MAX)} can be read`;
