import { gatewayBudgets } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { okReply } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { audited, isBudget, lockBudget } from "./budget-rows";
import { gatewayBudgetIdInput } from "./schemas";

export const deleteGatewayBudget = verb(
  {
    name: "gatewayBudgets.delete",
    summary: "Delete a budget.",
    description: "Its calls are no longer limited, and what was counted of them is forgotten.",
    effect: "write",
    capability: "model-pricing:write",
    input: gatewayBudgetIdInput,
    reply: okReply,
  },
  async (ctx, { gatewayBudgetId }) => {
    const before = await lockBudget(ctx, gatewayBudgetId);
    await ctx.db.delete(gatewayBudgets).where(isBudget(ctx, gatewayBudgetId));
    auditNote(ctx, { before: audited(before), after: null });
    return { ok: true as const };
  },
);
