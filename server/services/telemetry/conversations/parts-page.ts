import { cursorFor, type Position } from "@/server/platform/cursor";

/** Parts of a conversation or a trace that its own read carries: all of nearly every one, and never more than this of one. */
export const EMBEDDED_PARTS_MAX = 1000;
/** Characters of what a page carries, about: a long text ends it early. */
const PAGE_CHARACTERS = 4 * 1024 * 1024;

/** Told of every list of parts. */
export const PAGE_SIZE_NOTE =
  "A page has at most `limit`, fewer where they are long: `nextCursor` tells whether there are more.";

/** Where a part stands in its order, and how long its texts are. */
type Key = { length: number };

type PartsPage<K extends Key, Row> = {
  /** What a cursor is bound to, so that the read that carries the first parts and the list of them share cursors. */
  list: string;
  filters: object;
  limit: number;
  cursor?: string | undefined;
  /** Returns the keys after this position, in order, at most so many. */
  keysAfter: (position: Position | null, most: number) => Promise<readonly K[]>;
  /** Returns the parts with these keys, in the same order. */
  read: (keys: readonly K[]) => Promise<readonly Row[]>;
  positionOf: (key: K) => Position;
};

/**
 * Reads a page of the parts of one thing, oldest first: at most `limit` of them, and fewer where their texts are long. Keys
 * come first and parts then, so that what a page does not show is not read.
 */
export async function partsPage<K extends Key, Row>(page: PartsPage<K, Row>) {
  const { encode, decode } = cursorFor(page.list, page.filters);
  const keys = await page.keysAfter(page.cursor === undefined ? null : decode(page.cursor), page.limit + 1);
  const shown = fitting(keys, page.limit);
  const last = shown.at(-1);
  return {
    rows: last ? [...(await page.read(shown))] : [],
    nextCursor: last && keys.length > shown.length ? encode(page.positionOf(last)) : null,
  };
}

/** The first of them that fit on a page: one at least. */
export function fitting<K extends Key>(keys: readonly K[], limit: number): readonly K[] {
  let length = 0;
  let count = 0;
  for (const key of keys.slice(0, limit)) {
    length += key.length;
    if (count > 0 && length > PAGE_CHARACTERS) break;
    count += 1;
  }
  return keys.slice(0, count);
}
