import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { trackerDeliveries } from "@/db/schema";
import { type Ctx, inTransaction, type ProjectId } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { readWebhookSecret, WEBHOOKS, type WebhookEvent } from "@/server/services/connections";
import { createRateLimiter } from "@/server/services/rate-limits";
import { requestRead } from "../request-read";

/** An older delivery was recorded and replayed by someone else, or waited so long that the poll knows more. */
const REPLAY_MS = 10 * 60_000;
/** How far the sender's clock may run ahead. */
const AHEAD_MS = 5 * 60_000;

type Delivery = {
  projectId: string;
  connectionId: string;
  headers: Readonly<Record<string, string>>;
  /** Read only once the webhook is known. */
  body: () => Promise<Buffer>;
};

/** Maximum deliveries per minute for one connection. Those beyond it are sent again, or the poll finds the change. */
const DELIVERIES_PER_MINUTE = 600;
const PER_MINUTE = { quota: DELIVERIES_PER_MINUTE, unit: "requests" as const, windowSeconds: 60 };
const limiter = createRateLimiter();

/**
 * Receives a delivery of a tracker's webhook: checks its signature, recognizes repetitions, and requests a read of the ticket
 * that it names. Stores its ids, event name and destination; the rest is neither trusted nor stored. 404 for a connection
 * without a webhook, 401 for a wrong signature, 429 for too many.
 */
export async function receiveTrackerDelivery(db: Db, { projectId, connectionId, headers, body }: Delivery) {
  const webhook = await readWebhookSecret(db, projectId, connectionId);
  if (webhook === undefined) throw notFound("This webhook");
  const event = WEBHOOKS[webhook.kind](webhook.secret, { headers, body: await body() });
  if (event === null) throw new ServiceError("unauthenticated", "The signature of this delivery is not valid.");
  // After the signature: otherwise anybody who knows the address could use up what the tracker may send.
  const limit = `tracker-webhook:${connectionId}`;
  await limiter.spend(db, projectId, [{ name: "tracker-webhook", id: limit, ...PER_MINUTE }], 1);
  requireRecent(event);
  const ctx: Ctx = { db, projectId: projectId as ProjectId, actor: { kind: "job", name: "tracker-webhook" } };
  return inTransaction(ctx, (tx) => record(tx, connectionId, event));
}

function requireRecent({ sentAt }: WebhookEvent) {
  if (sentAt === null) return;
  const age = Date.now() - sentAt;
  if (age > REPLAY_MS || age < -AHEAD_MS)
    throw new ServiceError("invalid", "This delivery was sent too long ago, or the sender's clock is wrong.");
}

async function record(tx: Ctx, connectionId: string, event: WebhookEvent): Promise<{ repeated: boolean }> {
  const { deliveryId, name, externalId, destination } = event;
  const [row] = await tx.db
    .insert(trackerDeliveries)
    .values({
      projectId: tx.projectId,
      id: newId("tdl"),
      connectionId,
      deliveryId: deliveryId.slice(0, 200),
      event: name.slice(0, 100),
      externalId: externalId?.slice(0, 200) ?? null,
      destination: destination?.slice(0, 400) ?? null,
      state: "received",
      receivedAt: NOW,
    })
    .onConflictDoNothing()
    .returning();
  if (row === undefined) return { repeated: true };
  await processDelivery(tx, row);
  return { repeated: false };
}

/** Requests a read of the ticket that a delivery names, if it is one of ours. */
export async function processDelivery(tx: Ctx, row: typeof trackerDeliveries.$inferSelect) {
  const found = await tx.db.execute<{ id: string }>(sql`
    select id from work_items
    where project_id = ${tx.projectId} and connection_id = ${row.connectionId} and external_id = ${row.externalId}
      and (${row.destination}::text is null or lower(destination) = lower(${row.destination}::text)) and state in ('open', 'closed')
    order by created_at desc limit 1`);
  const workItemId = found[0]?.id ?? null;
  if (workItemId !== null) await requestRead(tx, [workItemId]);
  await tx.db.execute(sql`
    update tracker_deliveries set work_item_id = ${workItemId}, state = ${workItemId === null ? "ignored" : "processed"},
      error = null, processed_at = ${NOW}
    where project_id = ${tx.projectId} and id = ${row.id}`);
}
