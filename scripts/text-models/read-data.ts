import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type LabelledConversation, readLabelled } from "../../bench/labelled";
import type { Example } from "./train";

/**
 * A public set of labelled texts. `read` returns its examples from the directory passed to `npm run models:train`, where
 * GitHub repositories are stored at `owner/name`, and throws `MissingData` if its file is not there.
 */
export type DataSet = {
  name: string;
  /** MIT, Apache-2.0, CC0 or CC-BY. */
  licence: string;
  source: string;
  /** Date of the version that was read, as YYYY-MM-DD. */
  date: string;
  read: (directory: string) => Example[];
};

export class MissingData extends Error {}

/** Returns the text of a file under the data directory. */
export function dataFile(directory: string, file: string): string {
  const full = path.join(directory, file);
  if (!existsSync(full)) throw new MissingData(full);
  return readFileSync(full, "utf8");
}

/** Returns the names of the entries of a directory under the data directory, sorted. */
export function dataEntries(directory: string, folder: string): string[] {
  const full = path.join(directory, folder);
  if (!existsSync(full)) throw new MissingData(full);
  return readdirSync(full).sort();
}

/** Returns the rows of a CSV file (RFC 4180, first row names the columns) under the data directory. */
export function csvFile(directory: string, file: string): Record<string, string>[] {
  const [names = [], ...rows] = csvRows(dataFile(directory, file));
  return rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at] ?? ""])));
}

function csvRows(text: string): string[][] {
  const rows: string[][] = [[]];
  const cell = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r?\n|$)/gy;
  while (cell.lastIndex < text.length) {
    const [, value = "", end] = cell.exec(text) ?? [];
    if (end === undefined) throw new Error("The file is not CSV.");
    rows.at(-1)!.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value);
    if (end.endsWith("\n")) rows.push([]);
  }
  return rows.filter((row) => row.length > 0);
}

/** Returns the values of a JSONL file under the data directory. */
export const jsonlFile = (directory: string, file: string): Record<string, unknown>[] =>
  dataFile(directory, file)
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line));

/** Returns the labelled conversations of a JSONL file under the data directory. */
export const labelledConversations = (directory: string, file: string): LabelledConversation[] =>
  readLabelled(dataFile(directory, file)).conversations;
