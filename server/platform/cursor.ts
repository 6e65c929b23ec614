import { createHash } from "node:crypto";
import { type Column, desc, sql } from "drizzle-orm";
import { z } from "zod";
import { ServiceError } from "./errors";

/** Where a page ended: the time (Unix ms) and the id of its last row. */
export type Position = readonly [time: number, id: string];
/** Texts that Postgres could not compare are no ids of rows; a time is a whole number. */
const payload = z.tuple([
  z.string(),
  z.tuple([z.int(), z.string().refine((id) => !id.includes("\0") && id.isWellFormed())]),
]);

const digest = (list: string, filters: object) =>
  createHash("sha256")
    .update(
      JSON.stringify([
        list,
        Object.entries(filters)
          .filter(([, v]) => v !== undefined)
          .sort(),
      ]),
    )
    .digest("base64url")
    .slice(0, 12);

const badCursor = () =>
  new ServiceError("invalid", "The cursor is not from this list with these filters.", {
    errors: [{ path: "/cursor", message: "Not a cursor of this list with these filters." }],
  });

/**
 * Cursors of one style for every list: the position of the last row, bound to the list and to its filters, so that a
 * cursor from elsewhere is refused instead of silently giving another page.
 */
export function cursorFor(list: string, filters: object) {
  const bound = digest(list, filters);
  return {
    encode: (position: Position) => Buffer.from(JSON.stringify([bound, position])).toString("base64url"),
    decode(cursor: string): Position {
      let raw: unknown;
      try {
        raw = JSON.parse(Buffer.from(cursor, "base64url").toString());
      } catch {
        throw badCursor();
      }
      const parsed = payload.safeParse(raw);
      if (!parsed.success || parsed.data[0] !== bound) throw badCursor();
      return parsed.data[1];
    },
  };
}

type List = {
  /** Names the list; with `filters` it is what a cursor is bound to. */
  name: string;
  filters: object;
  /** The columns that order it. An index has to begin with them. */
  time: Column;
  id: Column;
  limit: number;
  cursor: string | undefined;
};

/**
 * Keyset paging, newest first: no row is missed or repeated while others come and go. `after` goes into the WHERE
 * (`position` is what it says), `order` into the ORDER BY, `fetch` is the LIMIT (one row more than shown tells whether there is a next page).
 */
export function newestFirst({ name, filters, time, id, limit, cursor }: List) {
  const { encode, decode } = cursorFor(name, filters);
  const position = cursor === undefined ? undefined : decode(cursor);
  return {
    position,
    after: position && sql`(${time}, ${id}) < (${position[0]}::bigint, ${position[1]}::text)`,
    order: [desc(time), desc(id)],
    fetch: limit + 1,
    page<Row>(rows: readonly Row[], positionOf: (row: Row) => Position) {
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      return { rows: shown, nextCursor: rows.length > limit && last ? encode(positionOf(last)) : null };
    },
  };
}
