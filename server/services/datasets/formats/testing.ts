import { fromBytes, previewFile, readDrafts, writeDrafts } from ".";
import type { ExportFormat } from "./schemas";
import type { ExampleRow, RandomAccess, ReadItem, ReadOptions } from "./types";

export const fileOf = (content: string | Uint8Array): RandomAccess =>
  fromBytes(typeof content === "string" ? Buffer.from(content) : content);

export async function readAll(content: string | Uint8Array, options?: ReadOptions): Promise<ReadItem[]> {
  const items: ReadItem[] = [];
  for await (const item of readDrafts(fileOf(content), options)) items.push(item);
  return items;
}

export const preview = (content: string | Uint8Array, options?: ReadOptions) => previewFile(fileOf(content), options);

/** Returns the Examples of a file, without their positions; fails if any row is not an Example. */
export async function examplesOf(content: string | Uint8Array, options?: ReadOptions): Promise<ExampleRow[]> {
  return (await readAll(content, options)).flatMap((item) => {
    if (item.kind === "error") throw new Error(`line ${item.line}: ${item.message}`);
    if (item.kind === "warning") return [];
    const { line: _, ...example } = item.draft;
    return [example];
  });
}

/** Returns errors and warnings as `line: message`. */
export const problemsOf = (items: readonly ReadItem[]) =>
  items.flatMap((item) => (item.kind === "draft" ? [] : [`${item.line} ${item.kind}: ${item.message}`]));

export async function writeAll(rows: readonly ExampleRow[], format: ExportFormat, skipped: string[] = []) {
  const parts: Uint8Array[] = [];
  const stream = (async function* () {
    yield* rows;
  })();
  for await (const part of writeDrafts(stream, format, (_row, reason) => skipped.push(reason))) parts.push(part);
  return Buffer.concat(parts);
}

export const linesOf = (bytes: Uint8Array): unknown[] =>
  Buffer.from(bytes)
    .toString()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as unknown);
