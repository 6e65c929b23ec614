import { type AnyColumn, sql } from "drizzle-orm";

/**
 * Many rows as one parameter: `from ${rowsOf(items, "trace_id text, attributes jsonb")} as t`. One statement for a whole
 * batch is what ingest speed comes from, and a JSON document was measured faster than an array parameter a column
 * (50,000 against 39,000 rows a second). The planner takes it for a hundred rows, and reads a small table whole to join
 * them: a condition on the keys themselves (`textArray`) keeps a batch of ten at ten.
 */
export const rowsOf = (items: readonly object[], columns: string) =>
  sql`jsonb_to_recordset(${JSON.stringify(items)}::text::jsonb) as t(${sql.raw(columns)})`;

/** A list as one `text[]` parameter (Drizzle would spread a bare array over many). */
export const textArray = (values: readonly string[]) => sql`${sql.param(values)}::text[]`;

/**
 * A column among values as one parameter. Drizzle's `inArray` has one for each, so that every length of a list is a
 * statement of its own, to be prepared and planned (`prepared-statements.ts` keeps few): for lists of ids.
 */
export const isOneOf = (column: AnyColumn<{ data: string }>, values: readonly string[]) =>
  sql`${column} = any(${textArray(values)})`;
