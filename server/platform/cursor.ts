import { createHash } from "node:crypto";
import { z } from "zod";
import { ServiceError } from "./errors";

const payload = z.tuple([z.string(), z.array(z.union([z.string(), z.number()]))]);

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
 * Keyset cursors of one style for every list: the sort key of the last row, bound to the list and to its filters, so
 * that a cursor from elsewhere is refused instead of silently giving another page.
 */
export function cursorFor<Key extends readonly (string | number)[]>(list: string, filters: object) {
  const bound = digest(list, filters);
  return {
    encode: (key: Key) => Buffer.from(JSON.stringify([bound, key])).toString("base64url"),
    decode(cursor: string, shape: z.ZodType<Key>): Key {
      let raw: unknown;
      try {
        raw = JSON.parse(Buffer.from(cursor, "base64url").toString());
      } catch {
        throw badCursor();
      }
      const parsed = payload.safeParse(raw);
      if (!parsed.success || parsed.data[0] !== bound) throw badCursor();
      const key = shape.safeParse(parsed.data[1]);
      if (!key.success) throw badCursor();
      return key.data;
    },
  };
}

/** Cuts one extra row off to learn whether there is a next page. */
export function pageOf<Row, Key extends readonly (string | number)[]>(
  rows: readonly Row[],
  limit: number,
  keyOf: (row: Row) => Key,
  encode: (key: Key) => string,
) {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { rows: shown, nextCursor: rows.length > limit && last ? encode(keyOf(last)) : null };
}
