import { sql } from "drizzle-orm";
import { z } from "zod";
import { NOW } from "@/db/now";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";
import { deliveryQueued } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { verb } from "@/server/platform/verb";
import { type PausedWebhook, pausedWebhooksReply, resumedWebhookReply, resumeWebhookInput } from "./schemas";

/** Set if the Findings were deleted between queueing and sending, so that there is nothing left to report. */
export const NOTHING_LEFT = "Its Findings no longer exist.";
/** A receiver that is redeployed, or down for a night, needs nobody. */
const DOWN_MS = 24 * 3_600_000;

/** The connection's messages `d` that failed since the last that it accepted. */
const FAILED_SINCE = sql`d.state = 'failed' and d.error is distinct from ${NOTHING_LEFT}
  and d.last_attempt_at > coalesce((
    select max(a.delivered_at) from deliveries a
    where a.project_id = d.project_id and a.connection_id = d.connection_id), 0)`;

/** Pauses a webhook that has accepted nothing since a message that is a day old: its notices wait until it is resumed. */
export async function pauseIfDown(tx: Ctx, connectionId: string) {
  await tx.db.execute(sql`
    update connections set paused_at = ${NOW}
    where project_id = ${tx.projectId} and id = ${connectionId} and paused_at is null
      and exists (
        select 1 from deliveries d
        where d.project_id = ${tx.projectId} and d.connection_id = ${connectionId} and ${FAILED_SINCE}
          and d.created_at <= ${NOW} - ${DOWN_MS}::bigint)`);
}

export const listPausedWebhooks = verb(
  {
    name: "webhooks.listPaused",
    summary: "List webhooks that get no notifications, because they accepted none for a day.",
    description:
      "Those paused longest come first. `failed` messages and `waiting` notices are sent when it is resumed with `POST …/resume`.",
    effect: "read",
    capability: "diagnostics:read",
    input: z.strictObject({}),
    reply: pausedWebhooksReply,
  },
  async (ctx) => {
    const rows = await ctx.db.execute<{ id: string; name: string; paused_at: string; failed: number; waiting: number }>(
      sql`
        select c.id, c.name, c.paused_at,
          (select count(*)::int from deliveries d
            where d.project_id = c.project_id and d.connection_id = c.id and ${FAILED_SINCE}) as failed,
          (select count(*)::int from notices n
            where n.project_id = c.project_id and n.connection_id = c.id and n.delivery_id is null) as waiting
        from connections c where c.project_id = ${ctx.projectId} and c.paused_at is not null
        order by c.paused_at, c.id`,
    );
    const pausedWebhooks: PausedWebhook[] = [...rows].map(({ id, name, paused_at, failed, waiting }) => ({
      connectionId: id,
      connectionName: name,
      pausedAt: Number(paused_at),
      failed,
      waiting,
    }));
    return { pausedWebhooks };
  },
);

export const resumeWebhook = verb(
  {
    name: "webhooks.resume",
    summary: "Send notifications to a paused webhook again, those that it missed first.",
    description:
      "The messages that failed since the last that it accepted are sent again, each with its `webhook-id` and `sequence`; the notices that waited follow. A webhook that is not paused is a 409.",
    effect: "write",
    capability: "diagnostics:write",
    input: resumeWebhookInput,
    reply: resumedWebhookReply,
  },
  async (ctx, { connectionId }) => {
    const [row] = await ctx.db.execute<{ paused_at: string | null }>(sql`
      select paused_at from connections where project_id = ${ctx.projectId} and id = ${connectionId} for update`);
    if (!row) throw notFound("The connection");
    if (row.paused_at === null) throw new ServiceError("conflict", "The webhook is not paused.");
    await ctx.db.execute(sql`
      update connections set paused_at = null where project_id = ${ctx.projectId} and id = ${connectionId}`);
    const missed = await ctx.db.execute<{ id: string; sequence: string }>(sql`
      update deliveries d set state = 'queued', error = null
      where d.project_id = ${ctx.projectId} and d.connection_id = ${connectionId} and ${FAILED_SINCE}
      returning d.id, d.sequence`);
    const inOrder = [...missed].sort((a, b) => Number(a.sequence) - Number(b.sequence));
    await emit(ctx.db, ...inOrder.map(({ id }) => deliveryQueued.create({ projectId: ctx.projectId, deliveryId: id })));
    auditNote(ctx, {
      target: { type: "connection", id: connectionId },
      before: { pausedAt: Number(row.paused_at) },
      after: { pausedAt: null, queued: inOrder.length },
    });
    return { resumed: { connectionId, queued: inOrder.length } };
  },
);
