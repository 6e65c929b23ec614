import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { type Ctx, requireCapability } from "@/server/platform/context";
import { inDays, wholeDays } from "./daily-costs";
import type { CostGroup } from "./schemas";

/** The table, the condition for its rows in a range, as `d`, and the column to group by. */
export type CostSource = { key: SQLWrapper; table: SQLWrapper; mine: SQL };
type Range = { from: number; to: number };

const DAILY: Record<Exclude<CostGroup, "user">, { table: string; column: string }> = {
  model: { table: "daily_costs", column: "model" },
  provider: { table: "daily_costs", column: "provider" },
  vendor: { table: "daily_costs", column: "vendor" },
  label: { table: "daily_label_costs", column: "label" },
  modelPriceId: { table: "daily_costs", column: "model_price_id" },
};

/** Returns the rows to sum for a grouping. Grouping by user throws `forbidden` for callers who may not read conversations. */
export function costSource(ctx: Ctx, groupBy: CostGroup, range: Range): CostSource {
  if (groupBy === "user") {
    requireCapability(ctx, ["diagnostics:read", "project:data:read"]);
    return { key: sql.identifier("user_id"), table: callsByUser(ctx, range), mine: sql`true` };
  }
  const { table, column } = DAILY[groupBy];
  return { key: sql.identifier(column), table: sql.identifier(table), mine: inDays(ctx, range) };
}

/** Returns a range's model calls with the columns of a daily table. A user is known only from the call's conversation. */
function callsByUser({ projectId }: Ctx, range: Range): SQL {
  const { from, to } = wholeDays(range);
  return sql`(
    select (m.started_at / 86400000) * 86400000 as day, coalesce(c.user_id, '') as user_id, 1 as calls,
           (m.cost_total is null)::int as unpriced_calls, coalesce(m.cost_total, 0) as cost,
           case jsonb_typeof(m.usage) when 'object' then m.usage else '{}' end as usage
    from model_calls m join conversations c on c.project_id = m.project_id and c.id = m.conversation_id
    where m.project_id = ${projectId} and m.started_at >= ${from}::bigint and m.started_at < ${to}::bigint)`;
}
