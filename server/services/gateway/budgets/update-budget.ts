import { NOW } from "@/db/now";
import { gatewayBudgets } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { verb } from "@/server/platform/verb";
import { audited, budgetJson, isBudget, lockBudget } from "./budget-rows";
import { gatewayBudgetReply, updateGatewayBudgetInput } from "./schemas";

export const updateGatewayBudget = verb(
  {
    name: "gatewayBudgets.update",
    summary: "Change the amount of a budget.",
    description: "Takes effect with the next call. What is spent today stays spent.",
    effect: "write",
    capability: "model-pricing:write",
    input: updateGatewayBudgetInput,
    reply: gatewayBudgetReply,
  },
  async (ctx, { gatewayBudgetId, dailyUsd }) => {
    const before = await lockBudget(ctx, gatewayBudgetId);
    const [row] = await ctx.db
      .update(gatewayBudgets)
      .set({ dailyUsd: String(dailyUsd), updatedAt: NOW })
      .where(isBudget(ctx, gatewayBudgetId))
      .returning();
    if (!row) throw new Error("The update of a locked budget returned no row.");
    auditNote(ctx, { before: audited(before), after: audited(row) });
    return { budget: budgetJson(row) };
  },
);
