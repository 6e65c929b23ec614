import { randomBytes } from "node:crypto";
import { and, eq } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { connections, ringKeys } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { unprocessable } from "@/server/platform/errors";
import { sealSecret, unsealSecret } from "@/server/platform/key-ring";
import { publicUrl } from "@/server/platform/public-url";
import { verb } from "@/server/platform/verb";
import { lockConnection } from "./read-connection";
import { connectionIdInput, isTracker, type TrackerKind, trackerWebhookReply } from "./schemas";

const SECRET_BYTES = 32;

const locationOf = (projectId: string, id: string) => ({ projectId, id, field: "connections.webhookSecret" });

/** Returns the path to which a connection's tracker sends its deliveries. */
export const webhookPath = (projectId: string, connectionId: string) =>
  `/tracker-webhooks/${projectId}/${connectionId}`;

export const createTrackerWebhook = verb(
  {
    name: "connections.createWebhook",
    summary: "Create the URL and the secret of a tracker's webhook. The secret is shown only once.",
    description:
      "Enter both in the tracker. Deliveries without the secret's signature are refused. Creating a new secret invalidates the previous one.",
    effect: "write",
    capability: "connections:manage",
    input: connectionIdInput,
    reply: trackerWebhookReply,
  },
  async (ctx, { connectionId }) => {
    const { kind } = await lockConnection(ctx, connectionId);
    if (!isTracker(kind)) throw unprocessable("/connectionId", "Only issue trackers send deliveries.");
    const secret = randomBytes(SECRET_BYTES).toString("hex");
    const { sealed, dataKey, ringKey } = await sealSecret(ctx.db, locationOf(ctx.projectId, connectionId), secret);
    await ctx.db
      .update(connections)
      .set({
        webhookSecretSealed: sealed,
        webhookSecretDataKey: dataKey,
        webhookSecretRingKey: ringKey,
        updatedAt: NOW,
      })
      .where(and(eq(connections.projectId, ctx.projectId), eq(connections.id, connectionId)));
    auditNote(ctx, { after: { webhookSecretReplaced: true } });
    return { webhook: { url: publicUrl(`v1${webhookPath(ctx.projectId, connectionId)}`), secret } };
  },
);

/** Returns a tracker connection's kind and webhook secret; `undefined` without one. For the route that checks signatures. */
export async function readWebhookSecret(db: Db, projectId: string, connectionId: string) {
  const [row] = await db
    .select({
      kind: connections.kind,
      sealed: connections.webhookSecretSealed,
      dataKey: connections.webhookSecretDataKey,
      ringKey: connections.webhookSecretRingKey,
      wrapped: ringKeys.wrapped,
    })
    .from(connections)
    .leftJoin(ringKeys, eq(ringKeys.id, connections.webhookSecretRingKey))
    .where(and(eq(connections.projectId, projectId), eq(connections.id, connectionId)));
  if (!row) return undefined;
  const { kind, sealed, dataKey, ringKey, wrapped } = row;
  if (sealed === null || dataKey === null || ringKey === null || wrapped === null) return undefined;
  const secret = unsealSecret(locationOf(projectId, connectionId), { sealed, dataKey, ringKey, wrapped });
  return { kind: kind as TrackerKind, secret };
}
