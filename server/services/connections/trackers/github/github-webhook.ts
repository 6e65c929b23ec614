import { createHmac } from "node:crypto";
import { z } from "zod";
import { parsedDelivery } from "../parsed-delivery";
import { sameSecret } from "../same-secret";
import type { ReadWebhook } from "../tracker";

/** Also the payload of comments on issues. */
const payload = z.object({
  action: z.string().optional(),
  /** Pull requests are issues too; this field marks them. */
  issue: z.object({ number: z.number(), pull_request: z.unknown().optional() }).optional(),
  repository: z.object({ full_name: z.string() }).optional(),
});

/** Returns a delivery's JSON as text. A webhook may be configured to send it as a form field. */
const textOf = (body: Buffer) => {
  const text = body.toString("utf8");
  return text.startsWith("payload=") ? (new URLSearchParams(text).get("payload") ?? "") : text;
};

export const readGithubWebhook: ReadWebhook = (secret, { headers, body }) => {
  const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  const { "x-github-delivery": deliveryId, "x-github-event": event = "" } = headers;
  if (secret === "" || !deliveryId || !sameSecret(headers["x-hub-signature-256"], signature)) return null;
  const { action, issue, repository } = parsedDelivery(payload, textOf(body)) ?? {};
  return {
    deliveryId,
    name: action === undefined ? event : `${event}.${action}`,
    externalId: issue === undefined || issue.pull_request !== undefined ? null : String(issue.number),
    destination: repository?.full_name ?? null,
    sentAt: null,
  };
};
