import { and, eq, isNull, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { apiKeys, gatewayBudgets } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { ServiceError, unprocessable } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { verb } from "@/server/platform/verb";
import { audited, budgetJson } from "./budget-rows";
import { BUDGETS_MAX, createGatewayBudgetInput, gatewayBudgetReply } from "./schemas";

export const createGatewayBudget = verb(
  {
    name: "gatewayBudgets.create",
    summary: "Limit what calls of models may cost a day.",
    description: `Of the whole project, of one key, or of each user that calls name. A call reserves the most that it may cost before it is sent; one that does not fit in every budget that is its own is a 402, \`budget_exceeded\`. Takes effect within five seconds. There is one budget of the project, of each key and of users (409), and at most ${BUDGETS_MAX} (409 beyond). 422: the key is not one of the project.`,
    effect: "write",
    capability: "model-pricing:write",
    input: createGatewayBudgetInput,
    reply: gatewayBudgetReply,
  },
  async (ctx, { scope, keyId = null, dailyUsd }) => {
    if (keyId !== null) await requireKey(ctx, keyId);
    await requireRoom(ctx);
    const [row] = await ctx.db
      .insert(gatewayBudgets)
      .values({
        projectId: ctx.projectId,
        id: newId("gwb"),
        scope,
        keyId,
        dailyUsd: String(dailyUsd),
        updatedAt: NOW,
      })
      .onConflictDoNothing()
      .returning();
    if (!row) throw new ServiceError("conflict", "There is such a budget already. Change its amount instead.");
    auditNote(ctx, { target: { type: "gatewayBudget", id: row.id }, after: audited(row) });
    return { budget: budgetJson(row) };
  },
);

async function requireKey({ db, projectId }: Ctx, keyId: string) {
  const isOurs = and(eq(apiKeys.projectId, projectId), eq(apiKeys.id, keyId), isNull(apiKeys.revokedAt));
  if ((await db.$count(apiKeys, isOurs)) === 0)
    throw unprocessable("/keyId", "The API key was not found in this project, or it was revoked.");
}

/** Serializes counting: budgets created concurrently would not see each other. */
async function requireRoom({ db, projectId }: Ctx) {
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`gateway budgets ${projectId}`}, 0))`);
  if ((await db.$count(gatewayBudgets, eq(gatewayBudgets.projectId, projectId))) >= BUDGETS_MAX)
    throw new ServiceError("conflict", `The project has ${BUDGETS_MAX} budgets. Delete some first.`);
}
