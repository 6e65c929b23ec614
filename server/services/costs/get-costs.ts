import { type SQL, sql } from "drizzle-orm";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { verb } from "@/server/platform/verb";
import { summariseCalls } from "@/server/services/telemetry";
import { type CostSource, costSource } from "./cost-source";
import { inDays, SUMS, type SumsRow, sumsOf, wholeDays } from "./daily-costs";
import { requireDays } from "./require-range";
import { type Costs, costsReply, getCostsInput } from "./schemas";

const ROWS_MAX = 500;
/** Decimals to which the remaining usage is rounded: finer than any counted unit, coarser than floating-point error. */
const UNIT_DECIMALS = 6;

type Usage = Record<string, number>;
type Group = SumsRow & { key: string; usage: Usage; of_groups: number };
/** `key` and `usage` are null for the sum of the groups left out. */
type GroupRow = Group | (SumsRow & { key: null; usage: null; of_groups: number });
/** `cost` is null when no cost is known. */
const DAY_SUMS = sql`case when sum(calls) > sum(unpriced_calls) then sum(cost)::float8 end as cost,
  sum(unpriced_calls)::float8 as unpriced`;
type DaySums = { cost: number | null; unpriced: number };
type Cell = DaySums & { day: string; key: string | null };
type Total = SumsRow & { days: Record<string, DaySums> | null; usage: Usage | null };

export const getCosts = verb(
  {
    name: "costs.get",
    summary: "Read the costs of model calls over time, by day and group, with a table of the groups.",
    description:
      "The range is expanded to whole UTC days. Sums are exact; calls without a known cost are counted separately and add nothing, and `costComplete` is `false` for a sum that excludes some. Grouped by `label`, a call counts in each label of its conversation; `total` and `totals` count it once. Served from daily aggregates, so response time does not depend on the number of calls, except by `user` (the end user of the application): the calls of a day that changed within the last minutes are summed for it. Grouping by `user` also requires `diagnostics:read` or `project:data:read`, like conversations. The most expensive groups are listed, and `rest` sums the others. `newestCalls` says how many of the newest 10,000 calls of the range had errors, and within how many milliseconds 95% of them ended (`p95Ms`).",
    effect: "read",
    capability: "model-pricing:read",
    input: getCostsInput,
    reply: costsReply,
  },
  async (ctx, { groupBy, top, ...range }) => {
    requireDays(range);
    const { from, to } = wholeDays(range);
    const of = costSource(ctx, groupBy, range);
    const { groups, rest } = await readGroups(ctx, of);
    const shown = groups.slice(0, top);
    const all = await readTotal(ctx, inDays(ctx, range));
    const valuesOf = await readCells(
      ctx,
      of,
      shown.map((group) => group.key),
    );

    const days = Array.from({ length: (to - from) / DAY_MS }, (_, n) => from + n * DAY_MS);
    const ofGroups = groups[0]?.of_groups ?? 0;
    const series: Costs["series"] = shown.map((group) => ({
      key: group.key || null,
      others: false,
      ...valuesOf(days, group.key),
    }));
    if (ofGroups > shown.length) series.push({ key: null, others: true, ...valuesOf(days, null) });
    const [newestCalls] = await summariseCalls(ctx, [{ from, to }]);
    if (!newestCalls) throw new Error("A range was not counted.");
    const totals = days.map((day) => all.days?.[day] ?? NO_CALLS);
    return {
      costs: {
        from,
        to,
        groupBy,
        days,
        series,
        rows: groups.map((group) => ({ key: group.key || null, ...sumsOf(group), usage: group.usage })),
        // A call may count in several labels: those left out have no meaningful sum.
        rest: rest && groupBy !== "label" ? { ...sumsOf(rest), usage: usageOfRest(all, groups) } : null,
        rowsLeftOut: ofGroups - groups.length,
        totals: totals.map(({ cost }) => cost),
        totalsUnpricedCalls: totals.map(({ unpriced }) => unpriced),
        total: { ...sumsOf(all), usage: all.usage ?? {} },
        newestCalls,
      },
    };
  },
);

const NO_CALLS: DaySums = { cost: null, unpriced: 0 };
const NONE: Total = { calls: 0, unpriced_calls: 0, exact_cost: null, days: null, usage: null };

/**
 * Returns groups, most expensive first, limited in the database because there can be as many labels or users as
 * conversations, and the sum of the others. Their usage is not read: unpacking it costs more than all the rest.
 */
async function readGroups({ db }: Ctx, { key, ctes, table, mine }: CostSource) {
  const rows = await db.execute<GroupRow>(sql`
    with ${ctes} g as materialized (
      select ${key} as key, sum(calls) as calls, sum(unpriced_calls) as unpriced_calls, sum(cost) as cost,
             row_number() over (order by sum(cost) desc, sum(calls) desc, ${key}) as place, count(*) over ()::int as of_groups
      from ${table} d where ${mine} group by ${key} having sum(calls) > 0
    ),
    top as materialized (select key, place from g where place <= ${ROWS_MAX}),
    units as (
      select key, jsonb_object_agg(bucket, units) as usage from (
        select key, u.bucket, sum(u.units::numeric) as units
        from ${table} d join top on top.key = d.${key}, jsonb_each_text(d.usage) as u(bucket, units)
        where ${mine}
        group by key, u.bucket having sum(u.units::numeric) > 0
      ) b group by key
    ),
    sums as (
      select top.key, top.place, max(d.of_groups) as of_groups, ${SUMS}
      from g d left join top using (key) group by top.key, top.place
    )
    select sums.*, case when place is not null then coalesce(units.usage, '{}') end as usage
    from sums left join units using (key) order by place nulls last`);
  return {
    groups: rows.filter((row): row is Group => row.key !== null),
    rest: rows.find(({ key }) => key === null),
  };
}

/** Returns the total usage minus that of the rows. The two are read one after the other, so a call may be stored in between. */
function usageOfRest({ usage }: Total, rows: readonly Group[]): Usage {
  const left = Object.entries(usage ?? {}).map(([bucket, units]): [string, number] => {
    const ofRows = rows.reduce((sum, row) => sum + (row.usage[bucket] ?? 0), 0);
    return [bucket, Number((units - ofRows).toFixed(UNIT_DECIMALS))];
  });
  return Object.fromEntries(left.filter(([, units]) => units > 0));
}

/** Returns the sums of all calls, in total and by day. They cannot be added up from the groups: a call may be in several. */
async function readTotal({ db }: Pick<Ctx, "db">, mine: SQL): Promise<Total> {
  const [all = NONE] = await db.execute<Total>(sql`
    with d as materialized (select day, calls, unpriced_calls, cost, usage from daily_costs d where ${mine}),
    units as (
      select u.bucket, sum(u.units::numeric) as units
      from d, jsonb_each_text(d.usage) as u(bucket, units) group by u.bucket having sum(u.units::numeric) > 0
    ),
    days as (
      select day, ${DAY_SUMS} from d group by day having sum(calls) > 0
    )
    select ${SUMS}, (select jsonb_object_agg(day, to_jsonb(days) - 'day') from days) as days,
      (select jsonb_object_agg(bucket, units) from units) as usage
    from d having sum(d.calls) > 0`);
  return all;
}

/** Reads the sums per day and shown group, and returns a lookup of one group's daily values; `null` stands for all others. */
async function readCells({ db }: Pick<Ctx, "db">, { key, ctes, table, mine }: CostSource, shown: readonly string[]) {
  const keys = sql`${sql.param(shown)}::text[]`;
  const cells = await db.execute<Cell>(sql`
    with ${ctes} shown as (select ${keys} as keys)
    select day, case when ${key} = any(shown.keys) then ${key} end as key, ${DAY_SUMS}
    from ${table} d cross join shown where ${mine}
    group by 1, 2 having sum(calls) > 0`);
  const nameOf = (day: number, of: string | null) => `${day} ${of ?? "/"}`;
  const byName = new Map([...cells].map((cell) => [nameOf(Number(cell.day), cell.key), cell]));
  return (days: readonly number[], of: string | null) => {
    const found = days.map((day) => byName.get(nameOf(day, of)) ?? NO_CALLS);
    return { values: found.map(({ cost }) => cost), unpricedCalls: found.map(({ unpriced }) => unpriced) };
  };
}
