import { and, eq, getTableColumns, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { trackerDeliveries, workItems } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { newestFirst } from "@/server/platform/cursor";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import {
  listTrackerDeliveriesInput,
  replayedTrackerDeliveryReply,
  trackerDeliveriesReply,
  trackerDeliveryIdInput,
  trackerDeliveryReply,
} from "../schemas";
import { processDelivery } from "./receive-delivery";

/** Selects deliveries with the time at which reading their ticket, if that failed, is tried again. */
const selectDeliveries = ({ db }: Ctx) =>
  db
    .select({
      ...getTableColumns(trackerDeliveries),
      nextAttemptAt: sql<
        number | null
      >`case when ${workItems.error} is not null and ${workItems.readRequestedAt} is not null
        and ${trackerDeliveries.processedAt} >= coalesce(${workItems.lastSyncedAt}, 0) then ${workItems.dueAt} end`.mapWith(
        workItems.dueAt,
      ),
    })
    .from(trackerDeliveries)
    .leftJoin(
      workItems,
      and(eq(workItems.projectId, trackerDeliveries.projectId), eq(workItems.id, trackerDeliveries.workItemId)),
    );

export const listTrackerDeliveries = verb(
  {
    name: "trackerDeliveries.list",
    summary: "List deliveries from tracker webhooks, newest first: which ticket each names, but not its content.",
    description:
      "`connectionId` and `state` filter the list. `ignored` deliveries name no ticket of the project. `nextAttemptAt` says when a failed read of the ticket is tried again. Deliveries are deleted after 30 days.",
    effect: "read",
    capability: "diagnostics:read",
    input: listTrackerDeliveriesInput,
    reply: trackerDeliveriesReply,
  },
  async (ctx, { connectionId, state, limit, cursor }) => {
    const list = newestFirst({
      name: "trackerDeliveries",
      filters: { project: ctx.projectId, connectionId, state },
      time: trackerDeliveries.receivedAt,
      id: trackerDeliveries.id,
      limit,
      cursor,
    });
    const found = await selectDeliveries(ctx)
      .where(
        and(
          eq(trackerDeliveries.projectId, ctx.projectId),
          connectionId === undefined ? undefined : eq(trackerDeliveries.connectionId, connectionId),
          state && eq(trackerDeliveries.state, state),
          list.after,
        ),
      )
      .orderBy(...list.order)
      .limit(list.fetch);
    const { rows, nextCursor } = list.page(found, (row) => [row.receivedAt, row.id]);
    return { trackerDeliveries: rows, pagination: { limit, nextCursor } };
  },
);

export const replayTrackerDelivery = verb(
  {
    name: "trackerDeliveries.replay",
    summary: "Process a tracker's webhook delivery again: the ticket that it names is read.",
    description:
      "The ticket is read in the background, as when the delivery arrived; doing so twice changes nothing. A delivery that names no ticket of the project is `ignored`.",
    effect: "write",
    capability: "diagnostics:write",
    input: trackerDeliveryIdInput,
    reply: trackerDeliveryReply,
    writeOnlyReply: { unless: ["diagnostics:read"], reply: replayedTrackerDeliveryReply },
  },
  async (ctx, { trackerDeliveryId }) => {
    await processDelivery(ctx, await readDelivery(ctx, trackerDeliveryId));
    auditNote(ctx, { target: { type: "trackerDelivery", id: trackerDeliveryId } });
    return { trackerDelivery: await readDelivery(ctx, trackerDeliveryId) };
  },
);

async function readDelivery(ctx: Ctx, id: string) {
  const [row] = await selectDeliveries(ctx).where(
    and(eq(trackerDeliveries.projectId, ctx.projectId), eq(trackerDeliveries.id, id)),
  );
  if (!row) throw notFound("The delivery");
  return row;
}

const RETENTION_MS = 30 * 24 * 60 * 60_000;

/** Deletes up to `most` deliveries that are older than 30 days: the tickets that they named were read long ago. */
export async function deleteOldTrackerDeliveries({ db, projectId }: Ctx, most: number): Promise<number> {
  const { count } = await db.execute(sql`
    delete from tracker_deliveries where project_id = ${projectId} and id in (
      select id from tracker_deliveries
      where project_id = ${projectId} and received_at < ${NOW} - ${RETENTION_MS}::bigint limit ${most})`);
  return count;
}
