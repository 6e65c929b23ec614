import { cursorFor, type Position } from "@/server/platform/cursor";
import { EMBEDDED_PARTS_MAX } from "../schemas";

/** Approximate characters in a page: long texts end it early, because assembling a page blocks other requests. */
const PAGE_CHARACTERS = 1024 * 1024;

/** Part of the description of every list of parts. */
export const PAGE_SIZE_NOTE =
  "A page has at most `limit` items, fewer when they are long; `nextCursor` is `null` on the last page.";

/** Part of the description of every reply that embeds the first parts. */
export const embeddedNote = (items: string, continuation: string) =>
  `Includes at most the first \`parts\` ${items} (${EMBEDDED_PARTS_MAX.toLocaleString("en")} by default, none with 0), fewer when they are long. ${continuation}`;

/** Returned for a list of which no parts are requested. */
const NONE = { rows: [], nextCursor: null };

/** Reads the first parts of a list, without a query if none are requested. */
export const firstParts = async <Row>(
  limit: number,
  read: () => Promise<{ rows: Row[]; nextCursor: string | null }>,
): Promise<{ rows: Row[]; nextCursor: string | null }> => (limit === 0 ? NONE : read());

/** The sort key of a part, with the length of its texts in bytes. */
type Key = { length: number };

type PartsPage<K extends Key, Row> = {
  /** Cursors are bound to this name, so that the reply that embeds the first parts and their list share cursors. */
  list: string;
  filters: object;
  limit: number;
  cursor?: string | undefined;
  /** Returns at most `most` keys after this position, in order. */
  keysAfter: (position: Position | null, most: number) => Promise<readonly K[]>;
  /** Returns the parts with these keys, in the same order. */
  read: (keys: readonly K[]) => Promise<readonly Row[]>;
  positionOf: (key: K) => Position;
};

/**
 * Reads a page of parts, oldest first: at most `limit`, fewer when their texts are long. Keys are read before parts, so that
 * the texts of parts beyond the page are never read.
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

/** Returns the leading keys whose parts fit on a page: at least one. */
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
