import { type SQL, sql } from "drizzle-orm";
import type { Ctx } from "@/server/platform/context";
import type { ChartRows } from "./rows";
import { stepAfter, stepOf } from "./steps";
import { type ChartMeasure, type ChartStep, MEASURES, SERIES_MAX } from "./types";

/** The aggregate of a step, or with `at` null of all; of a group, or without `grouped` of all together. */
export type Cell = {
  grouped: boolean;
  /** `null`: all groups without a series of their own. */
  key: string | null;
  at: number | null;
  n: number;
  unknown: number;
  hits: number;
  value: string | null;
};

export type Cells = {
  cells: Cell[];
  /** The groups with a series of their own, in order, and how many others there are. */
  keys: string[];
  others: number;
  countedFrom: number | null;
};

const VALUE: Record<(typeof MEASURES)[ChartMeasure]["by"], SQL> = {
  count: sql`sum(calls)`,
  sum: sql`case when sum(calls) > sum(unknown) then sum(value) end`,
  median: sql`percentile_disc(0.5) within group (order by value)`,
  p95: sql`percentile_disc(0.95) within group (order by value)`,
  share: sql`null::numeric`,
};

type Row = Cell & { kind: "cell" | "group" | "edge"; place: number | null };

/** Aggregates rows by step and group, in one statement. The most of the measure have a series of their own; of rates, the most measured. */
export async function readCells(
  { db }: Ctx,
  { rows, totals, limit }: ChartRows,
  { measure, step, isGrouped }: { measure: ChartMeasure; step: ChartStep; isGrouped: boolean },
): Promise<Cells> {
  const { by } = MEASURES[measure];
  const n = by === "share" ? sql`count(hit)` : sql`sum(calls)`;
  const most = by === "sum" ? sql`${VALUE.sum} desc nulls last, sum(calls) desc` : sql`${n} desc`;
  const aggregates = sql`${n}::float8 as n, sum(unknown)::float8 as unknown, count(*) filter (where hit)::float8 as hits,
    trim_scale(${VALUE[by]})::text as value`;
  const counted = (scanned: SQL) => sql`
    select ${stepOf(sql`at`, step)} as step, keys, calls, unknown, value, hit from ${scanned}
    where matches and at >= coalesce((select since from edge), at)`;
  const grouped = sql`
    , each as materialized (
      select step, case when keys = '{}' then array[''] else keys end as keys, calls, unknown, value, hit from counted
    ),
    groups as (
      select key, row_number() over (order by ${most}, key) as place
      from each, unnest(keys) key group by key having sum(calls) > 0
    ),
    shown as materialized (select array_agg(key) as keys from groups where place <= ${SERIES_MAX}),
    placed as (
      select step, of.key, calls, unknown, value, hit from each, shown,
        lateral (select distinct case when key = any(shown.keys) then key end as key from unnest(each.keys) key) of
    )`;
  const found = await db.execute<Row>(sql`
    with scanned as materialized (${rows}),
    edge as materialized (${
      limit === null
        ? sql`select null::bigint as since`
        : sql`select case when count(*) > ${limit} then ${stepAfter(sql`min(at)`, step)} end as since from scanned`
    }),
    counted as materialized (${counted(sql`scanned`)}),
    all_once as (${totals ? counted(sql`(${totals}) once`) : sql`select * from counted`})
    ${isGrouped ? grouped : sql``}
    select 'cell' as kind, false as grouped, null as key, step::float8 as at, null::int as place, ${aggregates}
    from all_once group by grouping sets ((step), ())
    union all select 'edge', false, null, since::float8, null, 0, 0, 0, null from edge
    ${
      isGrouped
        ? sql`union all select 'cell', true, key, step::float8, null, ${aggregates} from placed group by grouping sets ((key, step), (key))
            union all select 'group', true, case when place <= ${SERIES_MAX} then key end, null,
              least(place, ${SERIES_MAX + 1})::int, count(*), 0, 0, null from groups group by 3, 5`
        : sql``
    }`);
  const all = [...found];
  const named = all.filter(({ kind, key }) => kind === "group" && key !== null);
  return {
    cells: all.filter(({ kind }) => kind === "cell"),
    keys: named.toSorted((a, b) => (a.place ?? 0) - (b.place ?? 0)).map(({ key }) => key ?? ""),
    others: all.find(({ kind, key }) => kind === "group" && key === null)?.n ?? 0,
    countedFrom: all.find(({ kind }) => kind === "edge")?.at ?? null,
  };
}
