import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { type Ctx, requireCapability } from "@/server/platform/context";
import { inDays } from "./daily-costs";
import type { CostGroup } from "./schemas";
import { costsByUser } from "./user-days";

/** The table, the CTEs that it reads, the condition for its rows in a range, as `d`, and the column to group by. */
export type CostSource = { key: SQLWrapper; ctes: SQL; table: SQLWrapper; mine: SQL };
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
    return { key: sql.identifier("user_id"), ...costsByUser(ctx, range), mine: sql`true` };
  }
  const { table, column } = DAILY[groupBy];
  return { key: sql.identifier(column), ctes: sql``, table: sql.identifier(table), mine: inDays(ctx, range) };
}
