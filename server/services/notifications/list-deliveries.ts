import { and, eq, inArray, sql } from "drizzle-orm";
import { alertFirings, alerts, connections, deliveries, findings, notices } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { listPage } from "@/server/platform/cursor";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { type Delivery, deliveriesReply, deliveryIdInput, deliveryReply, listDeliveriesInput } from "./schemas";

/** Maximum notices listed per delivery. */
const NOTICES_SHOWN = 20;

export const listDeliveries = verb(
  {
    name: "deliveries.list",
    summary: "List messages sent to webhooks, newest first.",
    description:
      "`state` and `connectionId` filter the list. `sequence` numbers the messages of a webhook, because after an outage they can arrive in another order. A digest lists its first 20 notices. `error` says why the last attempt failed.",
    effect: "read",
    capability: "diagnostics:read",
    input: listDeliveriesInput,
    reply: deliveriesReply,
  },
  async (ctx, { limit, cursor, ...filters }) => {
    const { rows, nextCursor } = await listPage(
      { name: "deliveries", table: deliveries, filters: { project: ctx.projectId, ...filters }, limit, cursor },
      (after) =>
        ctx.db
          .select()
          .from(deliveries)
          .where(
            and(
              eq(deliveries.projectId, ctx.projectId),
              filters.state && eq(deliveries.state, filters.state),
              filters.connectionId === undefined ? undefined : eq(deliveries.connectionId, filters.connectionId),
              after,
            ),
          ),
    );
    return { deliveries: await deliveriesJson(ctx, rows), pagination: { limit, nextCursor } };
  },
);

export const getDelivery = verb(
  {
    name: "deliveries.get",
    summary: "Read one message to a webhook.",
    description:
      "`attempts` and `lastAttemptAt` say how often and when it was sent, `error` why the last attempt failed, `deliveredAt` when it was accepted. `notices` are its first 20 of `noticeCount`.",
    effect: "read",
    capability: "diagnostics:read",
    input: deliveryIdInput,
    reply: deliveryReply,
  },
  async (ctx, { deliveryId }) => ({ delivery: await readDelivery(ctx, deliveryId) }),
);

/** Returns a delivery with its notices; throws `not_found`. */
export async function readDelivery(ctx: Ctx, id: string): Promise<Delivery> {
  const rows = await ctx.db
    .select()
    .from(deliveries)
    .where(and(eq(deliveries.projectId, ctx.projectId), eq(deliveries.id, id)));
  const [delivery] = await deliveriesJson(ctx, rows);
  if (!delivery) throw notFound("The delivery");
  return delivery;
}

async function deliveriesJson(ctx: Ctx, rows: readonly (typeof deliveries.$inferSelect)[]): Promise<Delivery[]> {
  if (rows.length === 0) return [];
  const named = await ctx.db
    .select({ id: connections.id, name: connections.name })
    .from(connections)
    .where(
      and(
        eq(connections.projectId, ctx.projectId),
        inArray(connections.id, [...new Set(rows.map((row) => row.connectionId))]),
      ),
    );
  const nameOf = new Map(named.map(({ id, name }) => [id, name]));
  const ids = rows.map(({ id }) => id);
  const ranked = ctx.db
    .select({
      deliveryId: notices.deliveryId,
      kind: notices.kind,
      findingId: notices.findingId,
      title: findings.title,
      rank: sql<number>`row_number() over (partition by ${notices.deliveryId} order by ${notices.createdAt}, ${notices.id})`.as(
        "rank",
      ),
    })
    .from(notices)
    .innerJoin(findings, and(eq(findings.projectId, notices.projectId), eq(findings.id, notices.findingId)))
    .where(and(eq(notices.projectId, ctx.projectId), inArray(notices.deliveryId, ids)))
    .as("ranked");
  const noticeRows = await ctx.db
    .select()
    .from(ranked)
    .where(sql`${ranked.rank} <= ${NOTICES_SHOWN}`)
    .orderBy(ranked.rank);
  const firingIds = rows.flatMap(({ alertFiringId }) => alertFiringId ?? []);
  const firings = firingIds.length === 0 ? [] : await alertsOf(ctx, firingIds);
  const alertOf = ({ alertFiringId, alertEvent: event }: (typeof rows)[number]) => {
    const firing = firings.find(({ id }) => id === alertFiringId);
    return firing && event ? { alertId: firing.alertId, name: firing.name, event } : null;
  };
  return rows.map(({ projectId: _, ...row }) => ({
    ...row,
    alert: alertOf({ projectId: _, ...row }),
    connectionName: nameOf.get(row.connectionId) ?? row.connectionId,
    notices: noticeRows
      .filter(({ deliveryId }) => deliveryId === row.id)
      .map(({ kind, findingId, title }) => ({ kind, findingId, title })),
  }));
}

/** Returns the names of the alerts of some firings. */
const alertsOf = (ctx: Ctx, firingIds: readonly string[]) =>
  ctx.db
    .select({ id: alertFirings.id, alertId: alerts.id, name: alerts.name })
    .from(alertFirings)
    .innerJoin(alerts, and(eq(alerts.projectId, alertFirings.projectId), eq(alerts.id, alertFirings.alertId)))
    .where(and(eq(alertFirings.projectId, ctx.projectId), inArray(alertFirings.id, [...firingIds])));
