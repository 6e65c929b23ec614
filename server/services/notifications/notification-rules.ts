import { and, eq } from "drizzle-orm";
import { connections, notificationRules } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound, unprocessable } from "@/server/platform/errors";
import type { NotificationRule } from "./schemas";

type Row = typeof notificationRules.$inferSelect;

export const notificationRuleJson = ({ projectId: _, ...row }: Row): NotificationRule => row;

/** Returns what the audit log records of a rule. */
export const audited = ({ projectId: _, id: __, createdAt: ___, updatedAt: ____, ...settings }: Row) => settings;

export const isRule = ({ projectId }: Pick<Ctx, "projectId">, id: string) =>
  and(eq(notificationRules.projectId, projectId), eq(notificationRules.id, id));

/** Reads a rule that the transaction is about to change or delete. */
export async function lockNotificationRule(tx: Ctx, id: string): Promise<Row> {
  const [row] = await tx.db.select().from(notificationRules).where(isRule(tx, id)).for("update");
  if (!row) throw notFound("The notification rule");
  return row;
}

/** Throws `unprocessable` unless the connection is one of the project's webhooks, with a secret. */
export async function requireWebhook(ctx: Ctx, connectionId: string) {
  const [row] = await ctx.db
    .select({ kind: connections.kind, sealed: connections.secretSealed })
    .from(connections)
    .where(and(eq(connections.projectId, ctx.projectId), eq(connections.id, connectionId)));
  if (row?.kind !== "webhook") throw unprocessable("/connectionId", "Not a webhook connection of this project.");
  if (row.sealed === null)
    throw unprocessable("/connectionId", "The webhook has no secret, so nothing can be sent. Add one first.");
}
