import { and, asc, eq, sql } from "drizzle-orm";
import { databaseNow } from "@/db/database-now";
import { NOW } from "@/db/now";
import { deliveries, findings, notices, projects } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { storedReason } from "@/server/platform/logging/stored-reason";
import { OutboundError } from "@/server/platform/outbound";
import { publicUrl } from "@/server/platform/public-url";
import { openConnection, type WebhookFormat } from "@/server/services/connections";
import { announcedAlert } from "./alerts/announced-alert";
import { ALERT_MESSAGES } from "./alerts/webhook-message";
import { DIGEST_LISTED, MESSAGES, type MessageContext, type Notice } from "./message";
import { NOTHING_LEFT, pauseIfDown } from "./paused-webhooks";

const SEND_MS = 15_000;
/**
 * Sends a queued message. Throws if a retry may succeed. If the process dies between the receiver's reply and our commit, the
 * message is sent twice with the same `webhook-id`, which lets receivers deduplicate it.
 */
export async function sendDelivery(ctx: Ctx, deliveryId: string): Promise<{ sent: boolean }> {
  const which = and(eq(deliveries.projectId, ctx.projectId), eq(deliveries.id, deliveryId));
  const [row] = await ctx.db
    .update(deliveries)
    .set({ attempts: sql`${deliveries.attempts} + 1`, lastAttemptAt: NOW })
    .where(and(which, eq(deliveries.state, "queued")))
    .returning();
  if (!row) return { sent: false };
  const compose = await composerOf(ctx, row);
  if (compose === null) {
    await failDelivery(ctx, deliveryId, NOTHING_LEFT);
    return { sent: false };
  }
  try {
    await post(ctx, row, compose);
  } catch (error) {
    if (!(error instanceof OutboundError || error instanceof ServiceError)) throw error;
    await ctx.db.update(deliveries).set({ error: error.message }).where(which);
    throw error;
  }
  await ctx.db.update(deliveries).set({ state: "delivered", deliveredAt: NOW, error: null }).where(which);
  return { sent: true };
}

/** Marks a delivery as failed once its retries are exhausted, and pauses a webhook that has accepted nothing for a day. */
export async function failDelivery(ctx: Ctx, deliveryId: string, message: string) {
  await inTransaction(ctx, async (tx) => {
    const [failed] = await tx.db
      .update(deliveries)
      .set({ state: "failed", error: sql`coalesce(${deliveries.error}, ${storedReason(message)})` })
      .where(and(eq(deliveries.projectId, tx.projectId), eq(deliveries.id, deliveryId), eq(deliveries.state, "queued")))
      .returning({ connectionId: deliveries.connectionId });
    if (failed) await pauseIfDown(tx, failed.connectionId);
  });
}

type Row = typeof deliveries.$inferSelect;
type Compose = (format: WebhookFormat, context: MessageContext, at: number) => object;

/** Returns what composes a delivery's message in its webhook's format; `null` if what it is about no longer exists. */
async function composerOf(ctx: Ctx, row: Row): Promise<Compose | null> {
  const { sequence, noticeCount: count, alertFiringId, alertEvent } = row;
  if (alertFiringId !== null && alertEvent !== null) {
    const alert = await announcedAlert(ctx, alertFiringId, alertEvent);
    return alert && ((format, context, at) => ALERT_MESSAGES[format](context, alert, alertEvent, { sequence, at }));
  }
  const notices = await noticesOf(ctx, row.id);
  if (notices.length === 0) return null;
  return (format, context, at) => MESSAGES[format](context, notices, { sequence, count, at });
}

async function post(ctx: Ctx, delivery: Row, compose: Compose) {
  const [project] = await ctx.db.select({ name: projects.name }).from(projects).where(eq(projects.id, ctx.projectId));
  const context = { projectId: ctx.projectId, projectName: project?.name ?? "", link: publicUrl };
  const service = await openConnection(ctx, delivery.connectionId, "notify");
  const json = compose(service.connection.settings.format as WebhookFormat, context, await databaseNow(ctx.db));
  await service.request({ path: "", method: "POST", json, messageId: `msg_${delivery.id}`, timeoutMs: SEND_MS });
}

async function noticesOf(ctx: Ctx, deliveryId: string): Promise<Notice[]> {
  return ctx.db
    .select({
      kind: notices.kind,
      finding: {
        id: findings.id,
        title: findings.title,
        ruleId: findings.ruleId,
        signal: findings.signal,
        severity: findings.severity,
        diagnosticScore: findings.diagnosticScore,
        occurrenceCount: findings.occurrenceCount,
        userCount: findings.userCount,
        firstDetectedAt: findings.firstDetectedAt,
        lastDetectedAt: findings.lastDetectedAt,
      },
    })
    .from(notices)
    .innerJoin(findings, and(eq(findings.projectId, notices.projectId), eq(findings.id, notices.findingId)))
    .where(and(eq(notices.projectId, ctx.projectId), eq(notices.deliveryId, deliveryId)))
    .orderBy(asc(notices.createdAt), asc(notices.id))
    .limit(DIGEST_LISTED);
}
