import { COLUMNS_MAX } from "./schemas";
import { UnreadableFile } from "./types";

const count = (value: number) => value.toLocaleString("en");

/** Throws `UnreadableFile` for a table with too many columns. */
export function requireFewColumns(columns: number) {
  if (columns <= COLUMNS_MAX) return;
  throw new UnreadableFile(`The file has ${count(columns)} columns; at most ${count(COLUMNS_MAX)} can be read`);
}

/** Returns what is wrong with a row that has too many keys. */
export const tooManyKeys = (keys: number) =>
  keys <= COLUMNS_MAX ? undefined : `Has ${count(keys)} keys; at most ${count(COLUMNS_MAX)} can be read`;
