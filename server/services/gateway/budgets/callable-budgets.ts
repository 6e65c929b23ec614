import { eq } from "drizzle-orm";
import { gatewayBudgets } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { readAhead } from "@/server/platform/database/read-ahead";

const readBudgets = readAhead(({ db, projectId }: Ctx) =>
  db
    .select({ id: gatewayBudgets.id, scope: gatewayBudgets.scope, keyId: gatewayBudgets.keyId })
    .from(gatewayBudgets)
    .where(eq(gatewayBudgets.projectId, projectId)),
);

/** Returns the ids of the budgets that the caller's calls count towards, at most a few seconds old. */
export async function budgetsOf(ctx: Ctx): Promise<string[]> {
  const keyId = ctx.actor.kind === "apiKey" ? ctx.actor.keyId : null;
  const budgets = await readBudgets(ctx);
  return budgets.filter((one) => one.scope !== "key" || one.keyId === keyId).map(({ id }) => id);
}
