import { z } from "zod";
import { jsonOf } from "../parsed-delivery";
import type { ReadWebhook } from "../tracker";
import { idFromBody, isSignedBy } from "../webhook-signature";

const payload = z.object({
  webhookEvent: z.string().catch("unknown"),
  timestamp: z.number().optional().catch(undefined),
  issue: z
    .object({
      id: z.union([z.string(), z.number()]).transform(String).optional().catch(undefined),
      fields: z.object({ project: z.object({ key: z.string() }).optional().catch(undefined) }).catch({}),
    })
    .optional()
    .catch(undefined),
});

/** Reads a delivery from Jira Cloud or Data Center. Its signature has the form `method=signature`; only SHA-256 is accepted. */
export const readJiraWebhook: ReadWebhook = (secret, { headers, body }) => {
  const [method, signature] = (headers["x-hub-signature"] ?? "").split("=");
  if (method?.toLowerCase() !== "sha256" || !isSignedBy(secret, body, signature)) return null;
  const read = payload.safeParse(jsonOf(body));
  const { webhookEvent, timestamp, issue } = read.success ? read.data : payload.parse({});
  return {
    deliveryId: headers["x-atlassian-webhook-identifier"] ?? idFromBody(body),
    name: webhookEvent,
    externalId: issue?.id ?? null,
    destination: issue?.fields.project?.key ?? null,
    sentAt: timestamp ?? null,
  };
};
