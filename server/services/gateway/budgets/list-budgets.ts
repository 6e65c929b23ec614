import { and, eq } from "drizzle-orm";
import { gatewayBudgets } from "@/db/schema";
import { listPage } from "@/server/platform/cursor";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { isBudget, withSpending } from "./budget-rows";
import { gatewayBudgetIdInput, gatewayBudgetsReply, listedBudgetReply, listGatewayBudgetsInput } from "./schemas";

export const listGatewayBudgets = verb(
  {
    name: "gatewayBudgets.list",
    summary: "List the budgets of calls of models, newest first, with what is spent today.",
    description: "Days are UTC. What calls in progress have reserved counts as spent until they end.",
    effect: "read",
    capability: "model-pricing:read",
    input: listGatewayBudgetsInput,
    reply: gatewayBudgetsReply,
  },
  async (ctx, { limit, cursor }) => {
    const { rows, nextCursor } = await listPage(
      { name: "gateway-budgets", table: gatewayBudgets, filters: { project: ctx.projectId }, limit, cursor },
      (after) =>
        ctx.db
          .select()
          .from(gatewayBudgets)
          .where(and(eq(gatewayBudgets.projectId, ctx.projectId), after)),
    );
    return { budgets: await withSpending(ctx, rows), nextCursor };
  },
);

export const getGatewayBudget = verb(
  {
    name: "gatewayBudgets.get",
    summary: "Read one budget, with what is spent today.",
    description: "Days are UTC. What calls in progress have reserved counts as spent until they end.",
    effect: "read",
    capability: "model-pricing:read",
    input: gatewayBudgetIdInput,
    reply: listedBudgetReply,
  },
  async (ctx, { gatewayBudgetId }) => {
    const [row] = await ctx.db.select().from(gatewayBudgets).where(isBudget(ctx, gatewayBudgetId));
    const [budget] = row ? await withSpending(ctx, [row]) : [];
    if (!budget) throw notFound("The budget");
    return { budget };
  },
);
