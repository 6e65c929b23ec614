import { type SQL, sql } from "drizzle-orm";
import { valuesIn } from "@/server/services/telemetry";
import type { ChartFilters } from "./schemas";
import type { ChartGroup, ChartMeasure, ChartStep } from "./types";

/** What is read for a chart: whole steps, `[from, to)`. */
export type ChartQuery = {
  measure: ChartMeasure;
  findingId: string | undefined;
  signal: string | undefined;
  group: ChartGroup | undefined;
  step: ChartStep;
  from: number;
  to: number;
  filters: ChartFilters;
};

/**
 * Rows to aggregate: `at` (Unix ms), `keys` (the values of the group, as an array), `calls` (how many calls or conversations it
 * stands for), `unknown` (how many of these have no value), `value`, `hit` (for shares; `null` does not count) and `matches`.
 */
export type ChartRows = {
  rows: SQL;
  /** The same for the totals, where a row of `rows` may count in several. */
  totals?: SQL;
  /** With more rows than this, the oldest was cut off; `null` if all are read. */
  limit: number | null;
};

const ROWS_MAX = 100_000;
/** Conversations whose Rule Runs are looked up. */
const READINGS_MAX = 50_000;
/** Words are looked up for each row. */
const SEARCHED_MAX = 20_000;

/** Returns how many of the newest rows are read. */
export const limitOf = ({ q }: ChartFilters, of: "rows" | "readings" = "rows") =>
  q === undefined ? (of === "rows" ? ROWS_MAX : READINGS_MAX) : SEARCHED_MAX;

/** Whether nothing is filtered. */
export const isEmpty = (filters: object) => Object.values(filters).every((value) => value === undefined);

/** SQL of a conversation's values of a group, as an array. */
export const valuesOf = (group: ChartGroup | undefined): SQL =>
  group === undefined || group === "finding" ? sql`'{}'::text[]` : valuesIn(group);
