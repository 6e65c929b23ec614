import { z } from "zod";
import { jsonOf } from "../parsed-delivery";
import type { ReadWebhook } from "../tracker";
import { idFromBody, isSignedBy } from "../webhook-signature";

const id = z.string().optional().catch(undefined);
const team = z.object({ key: id }).optional().catch(undefined);
const payload = z.object({
  type: z.string().catch("unknown"),
  action: z.string().catch("unknown"),
  webhookTimestamp: z.number().optional().catch(undefined),
  data: z.object({ id, issueId: id, team, issue: z.object({ id, team }).optional().catch(undefined) }).catch({}),
});

/**
 * Reads a delivery from Linear. The SDK's own check is not used because it also refuses deliveries that are older than a minute
 * or ahead of our clock, and that refusal could not be distinguished from a wrong signature.
 */
export const readLinearWebhook: ReadWebhook = (secret, { headers, body }) => {
  if (!isSignedBy(secret, body, headers["linear-signature"])) return null;
  const read = payload.safeParse(jsonOf(body));
  const { type, action, webhookTimestamp, data } = read.success ? read.data : payload.parse({});
  return {
    deliveryId: headers["linear-delivery"] ?? idFromBody(body),
    name: `${type}.${action}`,
    externalId: (type === "Issue" ? data.id : (data.issueId ?? data.issue?.id)) ?? null,
    destination: data.team?.key ?? data.issue?.team?.key ?? null,
    sentAt: webhookTimestamp ?? null,
  };
};
