import { sql } from "drizzle-orm";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "./schemas";

/** The whole days (UTC) that a range touches, as `[from, to)`. */
export const wholeDays = ({ from, to }: { from: number; to: number }) => ({
  from: Math.floor(from / DAY_MS) * DAY_MS,
  to: Math.ceil(to / DAY_MS) * DAY_MS,
});

/** Which days' costs: a condition on `d`. */
export const inDays = ({ projectId }: Ctx, range: { from: number; to: number }) => {
  const { from, to } = wholeDays(range);
  return sql`d.project_id = ${projectId} and d.day >= ${from}::bigint and d.day < ${to}::bigint`;
};

/** The sums that every table of costs has. A sum of nothing known is none: `exact_cost` is then null. */
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

/** About how many calls there are in the range: all of its days. */
export async function estimateCallCount(
  ctx: Ctx,
  range: { from: number; to: number; model: string | null },
): Promise<number> {
  const [row] = await ctx.db.execute<{ calls: number }>(sql`
    select coalesce(sum(d.calls), 0)::float8 as calls from daily_costs d where ${inDays(ctx, range)}
      ${range.model === null ? sql`` : sql`and d.model = ${range.model}`}`);
  return row?.calls ?? 0;
}
