import { sql } from "drizzle-orm";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";

/** Expands a range to whole UTC days, as `[from, to)`. */
export const wholeDays = ({ from, to }: { from: number; to: number }) => ({
  from: Math.floor(from / DAY_MS) * DAY_MS,
  to: Math.ceil(to / DAY_MS) * DAY_MS,
});

/** Returns a condition that restricts `d` to the project and the whole days of a range. */
export const inDays = ({ projectId }: Ctx, range: { from: number; to: number }) => {
  const { from, to } = wholeDays(range);
  return sql`d.project_id = ${projectId} and d.day >= ${from}::bigint and d.day < ${to}::bigint`;
};

/** Columns common to all cost queries. `exact_cost` is null when no cost is known. */
export const SUMS = sql`sum(d.calls)::float8 as calls, sum(d.unpriced_calls)::float8 as unpriced_calls,
  case when sum(d.calls) > sum(d.unpriced_calls) then trim_scale(sum(d.cost))::text end as exact_cost`;
export type SumsRow = { calls: number; unpriced_calls: number; exact_cost: string | null };

export const sumsOf = ({ calls, unpriced_calls, exact_cost }: SumsRow) => ({
  calls,
  unpricedCalls: unpriced_calls,
  cost: exact_cost === null ? null : Number(exact_cost),
  exactCost: exact_cost,
  costComplete: unpriced_calls === 0,
});

/** Returns an estimate of the number of calls in a range: the number on all days that it touches. */
export async function estimateCallCount(
  ctx: Ctx,
  range: { from: number; to: number; model: string | null },
): Promise<number> {
  const [row] = await ctx.db.execute<{ calls: number }>(sql`
    select coalesce(sum(d.calls), 0)::float8 as calls from daily_costs d where ${inDays(ctx, range)}
      ${range.model === null ? sql`` : sql`and d.model = ${range.model}`}`);
  return row?.calls ?? 0;
}
