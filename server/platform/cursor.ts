import { createHash } from "node:crypto";
import { asc, type Column, desc, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { ServiceError } from "./errors";
import type { SortOrder } from "./schemas";

/** The end of a page: the sort value of its last row, usually the time (Unix ms), and the row's id. */
export type Position = readonly [time: number, id: string];
/** Rejects ids that Postgres could not compare. */
export const comparableText = z.string().refine((id) => !id.includes("\0") && id.isWellFormed());

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
  new ServiceError("invalid", "The cursor is not valid for this list with these filters.", {
    errors: [{ path: "/cursor", message: "Not valid for this list with these filters." }],
  });

/**
 * Returns the cursor codec of a list: it encodes the position of the last row, bound to the list and its filters, so that a
 * cursor from another list is refused instead of silently returning a wrong page.
 */
export const cursorFor = (list: string, filters: object, { fractions = false }: { fractions?: boolean } = {}) =>
  codecOf<Position>(
    list,
    filters,
    z.tuple([fractions ? z.number() : z.number().refine((value) => Number.isSafeInteger(value)), comparableText]),
  );

/** Returns a list's codec of positions with this schema, as `cursorFor` does for times and ids. */
export function codecOf<At>(list: string, filters: object, position: z.ZodType<At>) {
  const bound = digest(list, filters);
  const payload = z.tuple([z.literal(bound), position]);
  return {
    encode: (at: At) => Buffer.from(JSON.stringify([bound, at])).toString("base64url"),
    decode(cursor: string): At {
      let raw: unknown;
      try {
        raw = JSON.parse(Buffer.from(cursor, "base64url").toString());
      } catch {
        throw badCursor();
      }
      const parsed = payload.safeParse(raw);
      if (!parsed.success) throw badCursor();
      return parsed.data[1];
    },
  };
}

type List = {
  /** The list's name. Cursors are bound to it and to `filters`. */
  name: string;
  filters: object;
  /** The sort columns, a number and the id. An index must begin with them. */
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
export const newestFirst = (list: List) => byTime({ ...list, order: "desc" });

/** Returns the same parts in either direction. */
export function byTime({ name, filters, time, id, order, limit, cursor }: List & { order: SortOrder }) {
  const fractions = time.getSQLType() === "double precision";
  const bound = order === "desc" ? filters : { ...filters, order };
  const { encode, decode } = cursorFor(name, bound, { fractions });
  const type = sql.raw(fractions ? "float8" : "bigint");
  const position = cursor === undefined ? undefined : decode(cursor);
  const beyond = sql.raw(order === "desc" ? "<" : ">");
  const directed = order === "desc" ? desc : asc;
  return {
    position,
    after: position && sql`(${time}, ${id}) ${beyond} (${position[0]}::${type}, ${position[1]}::text)`,
    order: [directed(time), directed(id)],
    fetch: limit + 1,
    page<Row>(rows: readonly Row[], positionOf: (row: Row) => Position) {
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      return { rows: shown, nextCursor: rows.length > limit && last ? encode(positionOf(last)) : null };
    },
  };
}

/** A query whose order and limit are still open, such as a select with its conditions. */
type Sortable<Row> = { orderBy: (...columns: SQL[]) => { limit: (rows: number) => PromiseLike<Row[]> } };

type TableList = Omit<List, "time" | "id"> & { table: { createdAt: Column; id: Column } };

/**
 * Returns one page of a table, newest first, with the next page's cursor. `query` selects the list's rows: `after` goes into
 * its WHERE, and the order and the limit are added here.
 */
export async function listPage<Row extends { createdAt: number; id: string }>(
  { table, ...list }: TableList,
  query: (after: SQL | undefined) => Sortable<Row>,
) {
  const { after, order, fetch, page } = newestFirst({ ...list, time: table.createdAt, id: table.id });
  const rows = await query(after)
    .orderBy(...order)
    .limit(fetch);
  return page(rows, ({ createdAt, id }) => [createdAt, id]);
}
