import { and, eq } from "drizzle-orm";
import { NOW } from "@/db/now";
import { alertFirings, alerts, connections, deliveries } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { createConnection } from "@/server/services/connections";
import { createAlert } from "./alerts/create-alert";
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

/** For tests: creates an alert that is sent to a webhook, fires and has fired before, and returns its id. */
export async function storedAlert(ctx: Ctx, name = "Calls fail"): Promise<string> {
  const connectionIds = [await storedWebhook(ctx)];
  const { alert } = await createAlert(ctx, { name, measure: "error_rate", limit: 0.05, connectionIds });
  await ctx.db
    .update(alerts)
    .set({ state: "firing", evaluatedAt: NOW, value: 0.1, count: 100, limitValue: 0.05 })
    .where(and(eq(alerts.projectId, ctx.projectId), eq(alerts.id, alert.id)));
  const firing = { projectId: ctx.projectId, alertId: alert.id, value: 0.1, limitValue: 0.05, count: 100 };
  await ctx.db.insert(alertFirings).values([
    { ...firing, id: newId("alf"), firedAt: 1, clearedAt: 2, clearedValue: 0.01 },
    { ...firing, id: newId("alf"), firedAt: 3 },
  ]);
  return alert.id;
}
