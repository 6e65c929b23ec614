import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
} from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { requireFewColumns } from "./limits";
import { GROUP_ROWS_MAX } from "./schemas";
import type { FileRow, Table } from "./table";
import { type RandomAccess, UnreadableFile } from "./types";

const MIB = 1024 * 1024;
/** Uncompressed bytes read at a time if the file has a page index. */
const BATCH_BYTES = 8 * MIB;
/** Maximum uncompressed bytes of a row group without a page index: it has to be read as a whole. */
const GROUP_BYTES = 512 * MIB;
/** Maximum uncompressed bytes of one page, since a malicious file may claim any size. */
const PAGE_BYTES = 256 * MIB;

const bounded = Object.fromEntries(
  Object.entries(compressors).map(([codec, decompress]) => [
    codec,
    (input: Uint8Array, length: number) => {
      if (length > PAGE_BYTES) throw new Error(`a page of ${Math.round(length / MIB)} MiB is too large`);
      return decompress(input, length);
    },
  ]),
);

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const textOf = (bytes: Uint8Array | undefined) => bytes && decoder.decode(bytes);
/** JSON columns stay text, as in CSV: an invalid value is then an error of its row, not of the file. */
const parsers = { jsonFromBytes: textOf, stringFromBytes: textOf };

const bufferOf = (file: RandomAccess): AsyncBuffer => ({
  byteLength: file.size,
  slice: async (start, end = file.size) => {
    const bytes = await file.read(Math.max(0, start), Math.min(end, file.size));
    return new Uint8Array(bytes).buffer; // a copy: a Buffer is a view of a larger one
  },
});

const why = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Converts a value to its JSON form. Absent members of a struct are read as null, and omitted. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return null;
  if (Array.isArray(value)) return value.map(plain);
  if (ArrayBuffer.isView(value)) return Array.from(value as Float64Array, plain);
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (item == null ? [] : [[key, plain(item)] as const])),
  );
}

type Range = { start: number; end: number };

type RowGroup = FileMetaData["row_groups"][number];

/** Returns whether parts of the group can be read by themselves. */
const isIndexed = ({ columns }: RowGroup) => columns.every(({ offset_index_length }) => offset_index_length);

const bytesOf = (group: RowGroup, size: "total_compressed_size" | "total_uncompressed_size") =>
  group.columns.reduce((sum, { meta_data }) => sum + Number(meta_data?.[size] ?? 0), 0);

/** Refuses what a file only claims: nothing is allocated for rows or bytes that it cannot contain. */
function requireCredible(metadata: FileMetaData, fileBytes: number) {
  for (const group of metadata.row_groups) {
    if (Number(group.num_rows) > GROUP_ROWS_MAX) {
      throw new UnreadableFile(
        `A row group has ${Number(group.num_rows).toLocaleString("en")} rows; at most ${GROUP_ROWS_MAX.toLocaleString("en")} can be read`,
      );
    }
    if (bytesOf(group, "total_compressed_size") > fileBytes) {
      throw new UnreadableFile("A row group claims to be larger than the file; the file may have been cut off");
    }
    const bytes = bytesOf(group, "total_uncompressed_size");
    if (!isIndexed(group) && bytes > GROUP_BYTES) {
      throw new UnreadableFile(
        `A row group of ${Math.round(bytes / MIB)} MiB is too large to read; write the file with row groups of fewer rows`,
      );
    }
  }
}

/** Yields row ranges that can each be read in constant memory. */
function* rangesOf(metadata: FileMetaData): Generator<Range> {
  let first = 0;
  for (const group of metadata.row_groups) {
    const rows = Number(group.num_rows);
    const bytes = bytesOf(group, "total_uncompressed_size");
    const size = isIndexed(group) ? Math.max(1, Math.floor((rows * BATCH_BYTES) / Math.max(1, bytes))) : rows;
    for (let start = 0; start < rows; start += size) {
      yield { start: first + start, end: first + Math.min(rows, start + size) };
    }
    first += rows;
  }
}

async function* rows(file: AsyncBuffer, metadata: FileMetaData): AsyncGenerator<FileRow[]> {
  for (const { start, end } of rangesOf(metadata)) {
    let batch: FileRow[];
    try {
      const options = {
        file,
        metadata,
        compressors: bounded,
        parsers,
        rowStart: start,
        rowEnd: end,
        useOffsetIndex: true,
      };
      const read = await parquetReadObjects(options);
      batch = read.map((row, index) => {
        const values = plain(row) as Record<string, unknown>;
        return { line: start + index + 1, raw: JSON.stringify(values), values };
      });
    } catch (error) {
      throw new UnreadableFile(`Rows ${start + 1} to ${end} cannot be read: ${why(error)}`);
    }
    yield batch;
  }
}

/** Opens a Parquet file, whose rows are numbered from 1. */
export async function openParquet(random: RandomAccess): Promise<Table> {
  const file = bufferOf(random);
  try {
    const metadata = await parquetMetadataAsync(file, { parsers });
    const columns = parquetSchema(metadata).children.map(({ element }) => element.name ?? "");
    requireFewColumns(columns.length);
    requireCredible(metadata, random.size);
    return { kind: "parquet", columns, batches: () => rows(file, metadata) };
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    throw new UnreadableFile(`The Parquet file's footer cannot be read: ${why(error)}`);
  }
}
