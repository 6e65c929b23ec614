import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Ctx } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import { inDays, SUMS, type SumsRow, sumsOf, wholeDays } from "./daily-costs";
import { requireDays } from "./require-range";
import { type CostGroup, type Costs, costsReply, DAY_MS, getCostsInput } from "./schemas";

const ROWS_MAX = 500;

const GROUPS: Record<CostGroup, { table: string; column: string }> = {
  model: { table: "daily_costs", column: "model" },
  provider: { table: "daily_costs", column: "provider" },
  vendor: { table: "daily_costs", column: "vendor" },
  label: { table: "daily_label_costs", column: "label" },
  modelPriceId: { table: "daily_costs", column: "model_price_id" },
};

type Group = SumsRow & { key: string; usage: Record<string, number>; of_groups: number };
/** `cost` is null when no cost is known. */
const DAY_SUMS = sql`case when sum(calls) > sum(unpriced_calls) then sum(cost)::float8 end as cost,
  sum(unpriced_calls)::float8 as unpriced`;
type DaySums = { cost: number | null; unpriced: number };
type Cell = DaySums & { day: string; key: string | null };
type Total = SumsRow & { days: Record<string, DaySums> | null; usage: Record<string, number> | null };

export const getCosts = verb(
  {
    name: "costs.get",
    summary: "Read the costs of model calls over time, by day and group, with a table of the groups.",
    description:
      "The range is expanded to whole UTC days. Sums are exact; calls without a known cost are counted separately and add nothing, and a sum that excludes some is not `costComplete`. Grouped by `label`, a call counts in each label of its conversation; `total` and `totals` count it once. Served from daily aggregates, so response time does not depend on the number of calls.",
    effect: "read",
    capability: "model-pricing:read",
    input: getCostsInput,
    reply: costsReply,
  },
  async (ctx, { groupBy, top, ...range }) => {
    requireDays(range);
    const { from, to } = wholeDays(range);
    const of: Source = {
      key: sql.identifier(GROUPS[groupBy].column),
      table: sql.identifier(GROUPS[groupBy].table),
      mine: inDays(ctx, range),
    };
    const groups = await readGroups(ctx, of);
    const shown = groups.slice(0, top);
    const all = await readTotal(ctx, of);
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
    const totals = days.map((day) => all.days?.[day] ?? NO_CALLS);
    return {
      costs: {
        from,
        to,
        groupBy,
        days,
        series,
        rows: groups.map((group) => ({
          key: group.key || null,
          ...sumsOf(group),
          usage: group.usage,
        })),
        rowsLeftOut: ofGroups - groups.length,
        totals: totals.map(({ cost }) => cost),
        totalsUnpricedCalls: totals.map(({ unpriced }) => unpriced),
        total: { ...sumsOf(all), usage: all.usage ?? {} },
      },
    };
  },
);

const NO_CALLS: DaySums = { cost: null, unpriced: 0 };
const NONE: Total = { calls: 0, unpriced_calls: 0, exact_cost: null, days: null, usage: null };

/** The table, the rows of it to sum and the column to group by. */
type Source = { key: SQLWrapper; table: SQLWrapper; mine: SQL };

/** Returns groups, most expensive first, limited in the database because there can be as many labels as conversations. */
const readGroups = async ({ db }: Pick<Ctx, "db">, { key, table, mine }: Source) => [
  ...(await db.execute<Group>(sql`
    with d as materialized (select ${key} as key, calls, unpriced_calls, cost, usage from ${table} d where ${mine}),
    g as materialized (
      select key, ${SUMS}, sum(d.cost) as known_cost, count(*) over ()::int as of_groups
      from d group by key having sum(d.calls) > 0
      order by known_cost desc, calls desc, key limit ${ROWS_MAX}
    ),
    units as (
      select key, jsonb_object_agg(bucket, units) as usage from (
        select d.key, u.bucket, sum(u.units::numeric) as units
        from d join g using (key), jsonb_each_text(d.usage) as u(bucket, units)
        group by d.key, u.bucket having sum(u.units::numeric) > 0
      ) b group by key
    )
    select g.*, coalesce(units.usage, '{}') as usage
    from g left join units using (key)
    order by g.known_cost desc, g.calls desc, g.key`)),
];

/** Returns the sums of all calls, in total and by day. They cannot be added up from the groups: a call may be in several. */
async function readTotal({ db }: Pick<Ctx, "db">, { mine }: Pick<Source, "mine">): Promise<Total> {
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
async function readCells({ db }: Pick<Ctx, "db">, { key, table, mine }: Source, shown: readonly string[]) {
  const keys = sql`${sql.param(shown)}::text[]`;
  const cells = await db.execute<Cell>(sql`
    select day, case when ${key} = any(${keys}) then ${key} end as key, ${DAY_SUMS}
    from ${table} d where ${mine}
    group by 1, 2 having sum(calls) > 0`);
  const nameOf = (day: number, of: string | null) => `${day} ${of ?? "/"}`;
  const byName = new Map([...cells].map((cell) => [nameOf(Number(cell.day), cell.key), cell]));
  return (days: readonly number[], of: string | null) => {
    const found = days.map((day) => byName.get(nameOf(day, of)) ?? NO_CALLS);
    return { values: found.map(({ cost }) => cost), unpricedCalls: found.map(({ unpriced }) => unpriced) };
  };
}
