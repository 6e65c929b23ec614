import { getTableColumns, getTableName, type SQL, sql } from "drizzle-orm";
import { getTableConfig, type PgColumn, type PgTable } from "drizzle-orm/pg-core";
import type { Db } from "./client";

type Columns<T extends PgTable> = T["_"]["columns"];
type Named<T extends PgTable> = { [K in keyof Columns<T> as Columns<T>[K]["_"]["name"]]: Columns<T>[K]["_"] };
type ColumnName<T extends PgTable> = keyof Named<T> & string;
type Described = { data: unknown; notNull: boolean; hasDefault: boolean; columnType: string };
type ListOf<Data> = Data extends readonly (infer Item)[] ? readonly Item[] : Data;
/** A `numeric` takes strings and JSON numbers, which are as exact as their text. */
type ValueOf<C> = C extends Described
  ?
      | (C["columnType"] extends "PgNumeric" ? string | number : ListOf<C["data"]>)
      | (C["notNull"] extends true ? never : null)
  : never;

/** A row keyed by its columns' SQL names. */
export type RowOf<T extends PgTable> = { readonly [N in ColumnName<T>]: ValueOf<Named<T>[N]> };
type OnlyColumns<T extends PgTable, Row> = Row & { readonly [N in Exclude<keyof Row, ColumnName<T>>]: never };

type Facts = { name: string; types: ReadonlyMap<string, string>; key: readonly string[] };
const facts = new WeakMap<PgTable, Facts>();

/** Returns the parts of a table that statements need: its columns with their types, in order, and its primary key. */
function factsOf(table: PgTable): Facts {
  const known = facts.get(table);
  if (known) return known;
  const columns = Object.values<PgColumn>(getTableColumns(table));
  const keys = getTableConfig(table).primaryKeys[0]?.columns ?? columns.filter((column) => column.primary);
  const found = {
    name: getTableName(table),
    types: new Map(columns.map((column) => [column.name, column.getSQLType().replace("serial", "int")])),
    key: keys.map(({ name }) => name),
  };
  facts.set(table, found);
  return found;
}

const quoted = (name: string) => `"${name}"`;
const listOf = (names: readonly string[], prefix = "") =>
  sql.raw(names.map((name) => prefix + quoted(name)).join(", "));
const assignments = (names: readonly string[], from: string) =>
  sql.raw(names.map((name) => `${quoted(name)} = ${from}.${quoted(name)}`).join(", "));

/** Many rows as one parameter, `t` in the statement; `rowsOf` explains why. */
const records = (facts: Facts, names: readonly string[], rows: readonly object[]) =>
  recordsIn(facts, names, JSON.stringify(rows));
const recordsIn = ({ types }: Facts, names: readonly string[], json: string) =>
  sql`jsonb_to_recordset(${json}::text::jsonb) as t(${sql.raw(
    names.map((name) => `${quoted(name)} ${types.get(name)}`).join(", "),
  )})`;

/** Rows of a table as the parameter's text, so that another thread can write it. Made by `rowsText`. */
export type RowsText<T extends PgTable, But extends ColumnName<T>> = string & { readonly rowsOf?: [T, But] };

/** Returns rows for `rowsFor` as text. */
export const rowsText = <T extends PgTable, const But extends ColumnName<T>>(
  _table: T,
  _but: readonly But[],
  rows: readonly Omit<RowOf<T>, But>[],
): RowsText<T, But> => JSON.stringify(rows);

const namesBut = ({ types }: Facts, but: readonly string[]) => [...types.keys()].filter((name) => !but.includes(name));

/**
 * Returns a table's columns and rows as `t`, for a statement that does more than insert. Covers all columns but those
 * listed, so that a new column is a type error until the rows have it.
 */
export function rowsFor<T extends PgTable, const But extends ColumnName<T>>(
  table: T,
  but: readonly But[],
  rows: readonly Omit<RowOf<T>, But>[] | RowsText<T, But>,
): { columns: SQL; rows: SQL } {
  const of = factsOf(table);
  const names = namesBut(of, but);
  return {
    columns: listOf(names),
    rows: typeof rows === "string" ? recordsIn(of, names, rows) : records(of, names, rows),
  };
}

type Same<T extends PgTable> = { readonly [N in ColumnName<T>]?: string | number | boolean | SQL };
/** `on`: the columns of a unique index, else the primary key. `keep`: columns not written to an existing row. */
type Update<T extends PgTable> = {
  on?: readonly ColumnName<T>[];
  keep?: readonly ColumnName<T>[];
  /** Skips existing rows that would not change. */
  changedOnly?: boolean;
};

type Insert<T extends PgTable, S extends Same<T>, Left extends ColumnName<T>> = {
  /** Columns with one value for all rows, above all the project. */
  same: S;
  rows: readonly Omit<RowOf<T>, keyof S | Left>[];
  /** Columns left to their defaults. All others are written. */
  left?: readonly Left[];
  /** `nothing`, an update, or the SQL that follows `on conflict`. */
  onConflict?: "nothing" | Update<T> | SQL;
};

/** Returns one statement that inserts or upserts rows, with every column derived from the table. */
export function insertOf<T extends PgTable, const S extends Same<T>, const Left extends ColumnName<T> = never>(
  table: T,
  { same, rows, left = [], onConflict }: Insert<T, S, Left>,
): SQL {
  const of = factsOf(table);
  const shared = Object.entries<Same<T>[ColumnName<T>]>(same);
  const given = namesBut(of, [...shared.map(([name]) => name), ...left]);
  const values = shared.map(([name, value]) =>
    typeof value === "object" ? value : sql`${value}::${sql.raw(of.types.get(name) ?? "")}`,
  );
  const written = [...shared.map(([name]) => name), ...given];
  return sql`
    insert into ${sql.raw(quoted(of.name))} (${listOf(written)})
    select ${sql.join([...values, listOf(given, "t.")], sql`, `)} from ${records(of, given, rows)}
    ${conflictOf(of, written, onConflict)}`;
}

function conflictOf(of: Facts, written: readonly string[], onConflict: Insert<PgTable, object, never>["onConflict"]) {
  if (onConflict === undefined) return sql``;
  if (onConflict === "nothing") return sql`on conflict do nothing`;
  if ("queryChunks" in onConflict) return sql`on conflict ${onConflict}`;
  const { on = of.key, keep = [], changedOnly = false } = onConflict;
  const changed = written.filter((name) => !on.includes(name) && !keep.includes(name));
  const unlessSame = sql`where (${listOf(changed, `${quoted(of.name)}.`)}) is distinct from (${listOf(changed, "excluded.")})`;
  return sql`on conflict (${listOf(on)}) do update set ${assignments(changed, "excluded")} ${changedOnly ? unlessSame : sql``}`;
}

/** Bounds the JSON text that is sent to the database for a long conversation. */
const ROWS_PER_STATEMENT = 2000;

/** Yields statements that insert or upsert rows, each at most `ROWS_PER_STATEMENT`; none if there are no rows. */
export function* insertsOf<T extends PgTable, const S extends Same<T>, const Left extends ColumnName<T> = never>(
  table: T,
  insert: Insert<T, S, Left>,
): Generator<SQL> {
  for (let from = 0; from < insert.rows.length; from += ROWS_PER_STATEMENT) {
    const rows = insert.rows.slice(from, from + ROWS_PER_STATEMENT);
    yield insertOf(table, { ...insert, rows });
  }
}

/** Inserts or upserts rows, in statements of at most `ROWS_PER_STATEMENT` rows. */
export async function insertRows<T extends PgTable, const S extends Same<T>, const Left extends ColumnName<T> = never>(
  db: Db,
  table: T,
  insert: Insert<T, S, Left>,
): Promise<void> {
  for (const statement of insertsOf(table, insert)) await db.execute(statement);
}

/**
 * Returns the parts of an update of many rows: `rows` as `t`, `set` for every field except the key, and `matches` to join
 * by the table's key, without its project.
 */
export function updateOf<T extends PgTable, Row extends Partial<RowOf<T>>>(
  table: T,
  rows: readonly OnlyColumns<T, Row>[],
): { set: SQL; rows: SQL; matches: SQL } {
  const of = factsOf(table);
  const names = Object.keys(rows[0] ?? {});
  const key = of.key.filter((name) => names.includes(name));
  const changed = names.filter((name) => !key.includes(name));
  return {
    set: assignments(changed, "t"),
    rows: records(of, names, rows),
    matches: sql.raw(key.map((name) => `${quoted(of.name)}.${quoted(name)} = t.${quoted(name)}`).join(" and ")),
  };
}
