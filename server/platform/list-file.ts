import { csvLine } from "./csv";
import { type ListFormat, PAGE_LIMIT_MAX } from "./schemas";
import type { MediaTypes, Outgoing } from "./stream-verb";

const MEDIA_TYPES = { csv: "text/csv", jsonl: "application/jsonl" } as const satisfies Record<ListFormat, string>;
/** The media types of {@link listFile}. */
export const LIST_MEDIA_TYPES: MediaTypes = Object.fromEntries(
  Object.values(MEDIA_TYPES).map((type) => [type, { type: "string" }]),
);

/** The columns of a CSV file by name, each with its cell. */
export type CsvColumns<Item> = Readonly<Record<string, (item: Item) => unknown>>;

type Page<Item> = { items: readonly Item[]; nextCursor: string | null };

type List<Item> = {
  /** The file's name without its extension. */
  name: string;
  format: ListFormat;
  columns: CsvColumns<Item>;
  /** Reads one page of the list. */
  read: (page: { limit: number; cursor: string | undefined }) => Promise<Page<Item>>;
  signal: AbortSignal;
};

/** Returns a file of all items of a list. It is read page by page while it is sent, so it need not fit in memory. */
export const listFile = <Item>(list: List<Item>): Outgoing => ({
  mediaType: MEDIA_TYPES[list.format],
  fileName: `${list.name}.${list.format}`,
  body: linesOf(list),
});

async function* linesOf<Item>({ format, columns, read, signal }: List<Item>): AsyncGenerator<string> {
  const lineOf =
    format === "csv"
      ? (item: Item) => csvLine(Object.values(columns).map((cell) => cell(item)))
      : (item: Item) => `${JSON.stringify(item)}\n`;
  let head = format === "csv" ? csvLine(Object.keys(columns)) : "";
  let cursor: string | undefined;
  do {
    signal.throwIfAborted();
    const { items, nextCursor } = await read({ limit: PAGE_LIMIT_MAX, cursor });
    yield head + items.map(lineOf).join("");
    head = "";
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** A time (Unix ms) as a cell: ISO 8601, empty for `null`. */
export const timeCell = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());
