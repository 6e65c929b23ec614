import { and, type Column, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { z } from "zod";
import type { Db } from "@/db/client";
import { codecOf, comparableText } from "./cursor";
import { SORTED_MAX, type SortOrder } from "./schemas";

/** What a list is sorted by. A row without a value comes last in either direction. */
export type SortKey = { by: SQLWrapper; type: "bigint" | "numeric"; nullable?: boolean };

const VALUES = {
  bigint: z.string().regex(/^-?\d{1,18}$/),
  numeric: z.string().regex(/^-?\d{1,40}(\.\d{1,60})?$/),
};

type List = {
  /** The list's name. Cursors are bound to it, to `filters` and to the order. */
  name: string;
  filters: object;
  table: PgTable;
  id: Column;
  where: SQL | undefined;
  sort: string;
  key: SortKey;
  order: SortOrder;
  /** The columns by which the list is newest first: only the newest `SORTED_MAX` that match are sorted. Absent: all are. */
  among?: readonly SQL[] | undefined;
  limit: number;
  cursor: string | undefined;
};

type Found = { id: string; value: string | null; matched: string };

/**
 * Returns the ids on a page of a sorted list, by keyset: no row is skipped or repeated while others are inserted or deleted.
 * `sampled` says that more rows match than are sorted.
 */
export async function sortedPage(db: Db, list: List) {
  const { key, order, limit, cursor } = list;
  const { encode, decode } = codecOf(
    list.name,
    { ...list.filters, sort: list.sort, order },
    z.tuple([key.nullable ? VALUES[key.type].nullable() : VALUES[key.type], comparableText]),
  );
  const position = cursor === undefined ? undefined : decode(cursor);
  const read = (where: SQL | undefined, rows: number) => readCandidates(db, list, where, rows);
  const beyond = sql.raw(order === "asc" ? ">" : "<");
  const found: Found[] = [];
  if (position?.[0] !== null) {
    const after = position && sql`(value, id) ${beyond} (${position[0]}::${sql.raw(key.type)}, ${position[1]}::text)`;
    found.push(...(await read(and(key.nullable ? sql`value is not null` : undefined, after), limit + 1)));
  }
  if (key.nullable && found.length <= limit) {
    const after = position?.[0] === null ? sql`id ${beyond} ${position[1]}::text` : undefined;
    found.push(...(await read(and(sql`value is null`, after), limit + 1 - found.length)));
  }
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return {
    ids: shown.map((row) => row.id),
    nextCursor: found.length > limit && last ? encode([last.value, last.id]) : null,
    sampled: found.some(({ matched }) => Number(matched) > SORTED_MAX),
  };
}

async function readCandidates(db: Db, list: List, where: SQL | undefined, rows: number) {
  const columns = sql`${list.id} as id, ${list.key.by} as value`;
  const matching = sql`from ${list.table} where ${list.where}`;
  const candidates = list.among
    ? sql`select id, value, count(*) over () as matched from (
        select ${columns} ${matching} order by ${sql.join([...list.among], sql`, `)} limit ${SORTED_MAX + 1}) newest`
    : sql`select ${columns}, 0 as matched ${matching}`;
  const direction = sql.raw(list.order);
  return db.execute<Found>(sql`
    select id, value::text as value, matched from (${candidates}) candidate
    where ${where ?? sql`true`} order by candidate.value ${direction}, candidate.id ${direction} limit ${rows}`);
}

/** Returns `rows` in the order of `ids`. */
export function inOrderOf<Row extends { id: string }>(ids: readonly string[], rows: readonly Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
