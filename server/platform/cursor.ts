import { createHash } from "node:crypto";
import { type Column, desc, sql } from "drizzle-orm";
import { z } from "zod";
import { ServiceError } from "./errors";

/** The end of a page: the time (Unix ms) and id of its last row. */
export type Position = readonly [time: number, id: string];
/** Rejects ids that Postgres could not compare, and times that are not integers. */
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
 * Returns the cursor codec of a list: it encodes the position of the last row, bound to the list and its filters, so that a
 * cursor from another list is refused instead of silently returning a wrong page.
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
  /** The list's name. Cursors are bound to it and to `filters`. */
  name: string;
  filters: object;
  /** The sort columns. An index must begin with them. */
  time: Column;
  id: Column;
  limit: number;
  cursor: string | undefined;
};

/**
 * Returns the parts of a keyset-paged query, newest first: no row is skipped or repeated while others are inserted or deleted.
 * `after` goes into the WHERE (`position` is its decoded form), `order` into the ORDER BY, and `fetch` is the LIMIT: one more
 * row than shown, to know whether there is a next page.
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
