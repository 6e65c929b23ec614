import { sql } from "drizzle-orm";
import { verb } from "@/server/platform/verb";
import { ofDays, SUMS, type SumsRow, sumsOf, wholeDays } from "./daily-costs";
import { requireDays } from "./require-range";
import { type CostGroup, type Costs, costsReply, DAY_MS, getCostsInput } from "./schemas";

const ROWS_MAX = 500;

const COLUMN: Record<CostGroup, string> = {
  model: "model",
  provider: "provider",
  vendor: "vendor",
  modelPriceId: "model_price_id",
};

type Group = SumsRow & { key: string; usage: Record<string, number> };
type Cell = { day: string; key: string | null; cost: number };

export const getCosts = verb(
  {
    name: "costs.get",
    summary: "Read what model calls cost over time: by day and group, with a table of the groups.",
    description:
      "Days are whole days of UTC; those that the range touches are counted whole. Sums are exact; calls without a known cost are counted apart and add nothing. Kept by day, so it costs no more with many calls than with few.",
    effect: "read",
    capability: "model-pricing:read",
    input: getCostsInput,
    reply: costsReply,
  },
  async (ctx, { groupBy, top, ...range }) => {
    requireDays(range);
    const { from, to } = wholeDays(range);
    const key = sql.identifier(COLUMN[groupBy]);
    const mine = ofDays(ctx, range);
    const groups = [
      ...(await ctx.db.execute<Group>(sql`
        with d as materialized (select ${key} as key, calls, unpriced_calls, cost, usage from daily_costs d where ${mine}),
        units as (
          select key, jsonb_object_agg(bucket, units) as usage from (
            select d.key, u.bucket, sum(u.units::numeric) as units
            from d, jsonb_each_text(d.usage) as u(bucket, units) group by d.key, u.bucket having sum(u.units::numeric) <> 0
          ) b group by key
        )
        select g.*, coalesce(units.usage, '{}') as usage
        from (select key, ${SUMS}, sum(d.cost) as dearness from d group by key having sum(d.calls) > 0) g
        left join units using (key)
        order by g.dearness desc, g.calls desc, g.key`)),
    ];
    const total = totalOf(
      groups,
      await ctx.db.execute<SumsRow>(sql`select ${SUMS} from daily_costs d where ${mine} having sum(d.calls) > 0`),
    );
    const shown = groups.slice(0, top);
    const keys = sql`${sql.param(shown.map((group) => group.key))}::text[]`;
    const cells = await ctx.db.execute<Cell>(sql`
      select day, case when ${key} = any(${keys}) then ${key} end as key, sum(cost)::float8 as cost
      from daily_costs d where ${mine}
      group by 1, 2 having sum(calls) > sum(unpriced_calls)`);

    const days = Array.from({ length: (to - from) / DAY_MS }, (_, n) => from + n * DAY_MS);
    const byCell = new Map([...cells].map((cell) => [`${Number(cell.day)} ${cell.key ?? "/"}`, cell.cost]));
    const valuesOf = (cellKey: string) => days.map((day) => byCell.get(`${day} ${cellKey}`) ?? null);
    const series: Costs["series"] = shown.map((group) => ({
      key: group.key || null,
      others: false,
      values: valuesOf(group.key),
    }));
    if (groups.length > shown.length) series.push({ key: null, others: true, values: valuesOf("/") });
    return {
      costs: {
        from,
        to,
        groupBy,
        days,
        series,
        rows: groups.slice(0, ROWS_MAX).map((group) => ({
          key: group.key || null,
          ...sumsOf(group),
          usage: group.usage,
        })),
        rowsLeftOut: Math.max(0, groups.length - ROWS_MAX),
        total,
      },
    };
  },
);

const NONE: SumsRow = { calls: 0, unpriced_calls: 0, exact_cost: null };

function totalOf(groups: readonly Group[], rows: Iterable<SumsRow>): Costs["total"] {
  const [row = NONE] = rows;
  const usage: Record<string, number> = {};
  for (const group of groups) {
    for (const [bucket, units] of Object.entries(group.usage)) usage[bucket] = (usage[bucket] ?? 0) + units;
  }
  return { ...sumsOf(row), usage };
}
