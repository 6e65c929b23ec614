import { and, eq, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { textArray } from "@/db/rows";
import { apiKeys, gatewayBudgets, gatewaySpending } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { notFound } from "@/server/platform/errors";
import type { ListedBudget } from "./schemas";

export type BudgetRow = typeof gatewayBudgets.$inferSelect;

/** Days since 1970-01-01, UTC. */
export const TODAY = sql`(${NOW} / ${DAY_MS}::bigint)::int`;

export const budgetJson = ({ projectId: _, dailyUsd, ...row }: BudgetRow) => ({ ...row, dailyUsd: Number(dailyUsd) });

/** Returns what the audit log records of a budget. */
export const audited = ({ scope, keyId, dailyUsd }: BudgetRow) => ({ scope, keyId, dailyUsd: Number(dailyUsd) });

export const isBudget = ({ projectId }: Pick<Ctx, "projectId">, id: string) =>
  and(eq(gatewayBudgets.projectId, projectId), eq(gatewayBudgets.id, id));

/** Reads a budget that the transaction is about to change or delete. */
export async function lockBudget(tx: Ctx, id: string): Promise<BudgetRow> {
  const [row] = await tx.db.select().from(gatewayBudgets).where(isBudget(tx, id)).for("update");
  if (!row) throw notFound("The budget");
  return row;
}

/** Returns budgets with what is spent of them today. */
export async function withSpending({ db, projectId }: Ctx, rows: readonly BudgetRow[]): Promise<ListedBudget[]> {
  const [clock] = await db.execute<{ day: number }>(sql`select ${TODAY} as day`);
  const day = clock?.day ?? 0;
  const ids = textArray(rows.map(({ id }) => id));
  const spending = await db
    .select({
      id: gatewaySpending.budgetId,
      most: sql<string>`max(${gatewaySpending.usd})`,
      users: sql<number>`count(*)::int`,
    })
    .from(gatewaySpending)
    .where(
      and(
        eq(gatewaySpending.projectId, projectId),
        eq(gatewaySpending.day, day),
        sql`${gatewaySpending.budgetId} = any(${ids})`,
      ),
    )
    .groupBy(gatewaySpending.budgetId);
  const keys = await db
    .select({ id: apiKeys.id, name: apiKeys.name })
    .from(apiKeys)
    .where(
      and(
        eq(apiKeys.projectId, projectId),
        sql`${apiKeys.id} = any(${textArray(rows.flatMap(({ keyId }) => keyId ?? []))})`,
      ),
    );
  const spent = new Map(spending.map((one) => [one.id, one]));
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  return rows.map((row) => ({
    ...budgetJson(row),
    keyName: row.keyId === null ? null : (names.get(row.keyId) ?? null),
    spentUsd: Number(spent.get(row.id)?.most ?? 0),
    users: row.scope === "user" ? (spent.get(row.id)?.users ?? 0) : null,
    resetsAt: (day + 1) * DAY_MS,
  }));
}
