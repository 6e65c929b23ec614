import { and, eq } from "drizzle-orm";
import { NOW } from "@/db/now";
import { connections, deliveries } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { createConnection } from "@/server/services/connections";
import { createNotificationRule } from "./create-notification-rule";

/** For tests: creates a webhook to which nothing is listening, and returns its id. */
export async function storedWebhook(ctx: Ctx): Promise<string> {
  const baseUrl = "https://hooks.invalid/alerts";
  return (await createConnection(ctx, { kind: "webhook", name: "Alerts", baseUrl, secret: "a signing secret" }))
    .connection.id;
}

/** For tests: creates a notification rule and returns its id. */
export const storedNotificationRule = async (ctx: Ctx, name = "All"): Promise<string> =>
  (await createNotificationRule(ctx, { name, connectionId: await storedWebhook(ctx) })).notificationRule.id;

/** For tests: stores a delivery that failed with `error`, and returns its id. */
export async function failedDelivery(ctx: Ctx, error = "The receiver is down."): Promise<string> {
  const id = newId("dlv");
  await ctx.db.insert(deliveries).values({
    projectId: ctx.projectId,
    id,
    connectionId: await storedWebhook(ctx),
    sequence: 1,
    noticeCount: 1,
    state: "failed",
    attempts: 9,
    error,
    lastAttemptAt: NOW,
  });
  return id;
}

/** For tests: creates a webhook that is paused, and returns its id. */
export async function pausedWebhook(ctx: Ctx): Promise<string> {
  const id = await storedWebhook(ctx);
  await ctx.db
    .update(connections)
    .set({ pausedAt: NOW })
    .where(and(eq(connections.projectId, ctx.projectId), eq(connections.id, id)));
  return id;
}
