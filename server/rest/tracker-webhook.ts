import { z } from "zod";
import { db } from "@/db/pool";
import { readBody } from "@/server/platform/http/read-body";
import { receiveTrackerDelivery } from "@/server/services/diagnostics";

/** GitHub sends up to 25 MB; a delivery about a ticket is far smaller, and the rest tells us nothing. */
const MAX_BYTES = 5 * 1024 * 1024;

export const trackerWebhookReply = z.object({
  /** The delivery was received before, and nothing happened. */
  repeated: z.boolean(),
});

/** Handles a delivery of a tracker's webhook. Its credential is a signature over the body as sent. */
export async function trackerWebhook(request: Request, { projectId = "", connectionId = "" }: Record<string, string>) {
  const body = async () => Buffer.from(await readBody(request, MAX_BYTES));
  const headers = Object.fromEntries(request.headers);
  const reply = await receiveTrackerDelivery(db(), { projectId, connectionId, headers, body });
  return Response.json(trackerWebhookReply.parse(reply), { status: 202 });
}
