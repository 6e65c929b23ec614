import { type SQL, sql } from "drizzle-orm";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { inDays, SUMS, type SumsRow, sumsOf } from "./daily-costs";
import { UNPRICED_DAYS, UNPRICED_MAX } from "./price-usage";
import { monthOf, projectMonth } from "./project-month";
import type { CostsSummary } from "./schemas";

/** Days whose weekdays are averaged. */
const PAST_DAYS = 28;
const DRIVERS_SHOWN = 3;

type Days = { from: number; to: number };
type Driver = { model: string; cost: number | null; before: number | null };
type Day = { day: number; cost: number };
type Row = {
  period: SumsRow;
  before: SumsRow;
  month: SumsRow;
  drivers: Driver[];
  days: Day[];
  unpriced_models: number;
  first_day: string | null;
};

/**
 * Returns a project's costs of two periods of whole days (UTC), the month so far and as projected, and the number of models
 * without a price, in one statement.
 */
export async function summariseCosts(
  ctx: Ctx,
  { now, period, before }: { now: number; period: Days; before: Days },
): Promise<CostsSummary> {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const tomorrow = today + DAY_MS;
  const month = { from: monthOf(now).from, to: tomorrow };
  const unpriced = { from: tomorrow - UNPRICED_DAYS * DAY_MS, to: tomorrow };
  const past = { from: today - PAST_DAYS * DAY_MS, to: today };
  const all = { from: Math.min(month.from, unpriced.from, past.from, before.from), to: tomorrow };
  const within = ({ from, to }: Days) => sql`d.day >= ${from}::bigint and d.day < ${to}::bigint`;
  const sumsIn = (days: SQL) => sql`(select to_jsonb(s) from (select ${SUMS} from d where ${days}) s)`;
  const knownIn = (days: SQL) =>
    sql`case when sum(d.calls - d.unpriced_calls) filter (where ${days}) > 0 then sum(d.cost) filter (where ${days}) end`;
  const [row] = await ctx.db.execute<Row>(sql`
    with d as materialized (
      select day, model, provider, calls, unpriced_calls, cost from daily_costs d where ${inDays(ctx, all)}
    )
    select ${sumsIn(within(period))} as period, ${sumsIn(within(before))} as before, ${sumsIn(within(month))} as month,
      (select coalesce(jsonb_agg(g order by abs(coalesce(g.cost, 0) - coalesce(g.before, 0)) desc, g.model), '[]') from (
        select d.model, ${knownIn(within(period))} as cost, ${knownIn(within(before))} as before
        from d where d.day >= ${before.from}::bigint and d.day < ${period.to}::bigint group by d.model
        order by abs(
          coalesce(sum(d.cost) filter (where ${within(period)}), 0) - coalesce(sum(d.cost) filter (where ${within(before)}), 0)
        ) desc, d.model limit ${DRIVERS_SHOWN}
      ) g) as drivers,
      (select coalesce(jsonb_agg(g), '[]') from (
        select d.day, sum(d.cost)::float8 as cost from d where d.day >= ${past.from}::bigint group by d.day
      ) g) as days,
      (select count(*)::int from (
        select 1 from d where ${within(unpriced)} and d.model <> '' group by d.model, d.provider
        having sum(d.unpriced_calls) > 0 limit ${UNPRICED_MAX}
      ) g) as unpriced_models,
      (select min(day) from daily_costs where project_id = ${ctx.projectId}) as first_day`);
  if (!row) throw new Error("A summary returned no row.");
  const firstDay = row.first_day === null ? today : Number(row.first_day);
  const costOn = new Map(row.days.map(({ day, cost }) => [day, cost]));
  const pastDays = Array.from({ length: PAST_DAYS }, (_, n) => past.from + n * DAY_MS).filter((day) => day >= firstDay);
  const [spent, spentToday] = [sumsOf(zero(row.month)), costOn.get(today) ?? 0];
  return {
    period: { ...period, ...sumsOf(zero(row.period)) },
    before: { ...before, ...sumsOf(zero(row.before)) },
    drivers: row.drivers.map(({ model, ...costs }) => ({ model: model || null, ...costs })),
    month: {
      ...month,
      ...spent,
      projection:
        spent.cost === null
          ? null
          : projectMonth(
              { before: spent.cost - spentToday, today: spentToday, past: pastDays.map((day) => costOn.get(day) ?? 0) },
              today,
            ),
    },
    unpricedModels: row.unpriced_models,
  };
}

/** The sum over no rows is null. */
const zero = ({ calls, unpriced_calls, exact_cost }: SumsRow): SumsRow => ({
  calls: calls ?? 0,
  unpriced_calls: unpriced_calls ?? 0,
  exact_cost,
});
