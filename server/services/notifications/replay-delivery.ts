import { and, eq } from "drizzle-orm";
import { deliveries } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { notFound, ServiceError } from "@/server/platform/errors";
import { deliveryQueued } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { verb } from "@/server/platform/verb";
import { readDelivery } from "./list-deliveries";
import { deliveryIdInput, deliveryReply, replayedDeliveryReply } from "./schemas";

export const replayDelivery = verb(
  {
    name: "deliveries.replay",
    summary: "Send a message to a webhook again.",
    description:
      "It keeps its `webhook-id`, so that a receiver recognizes a repetition, and states the Findings as they are now. One about an alert states again what was measured. A delivery that is still queued is a 409.",
    effect: "write",
    capability: "diagnostics:write",
    input: deliveryIdInput,
    reply: deliveryReply,
    writeOnlyReply: { unless: ["diagnostics:read"], reply: replayedDeliveryReply },
  },
  async (ctx, { deliveryId }) => {
    const which = and(eq(deliveries.projectId, ctx.projectId), eq(deliveries.id, deliveryId));
    const [row] = await ctx.db.select().from(deliveries).where(which).for("update");
    if (!row) throw notFound("The delivery");
    if (row.state === "queued") throw new ServiceError("conflict", "The delivery is still queued: it will be sent.");
    await ctx.db.update(deliveries).set({ state: "queued", deliveredAt: null, error: null }).where(which);
    await emit(ctx.db, deliveryQueued.create({ projectId: ctx.projectId, deliveryId }));
    auditNote(ctx, {
      target: { type: "delivery", id: deliveryId },
      before: { state: row.state },
      after: { state: "queued" },
    });
    return { delivery: await readDelivery(ctx, deliveryId) };
  },
);
