import { createHmac } from "node:crypto";
import { z } from "zod";
import { parsedDelivery } from "../parsed-delivery";
import { sameSecret } from "../same-secret";
import type { ReadWebhook } from "../tracker";

/** Pull requests are issues too; the field `pull_request` marks them. */
const issue = z.object({ number: z.number(), pull_request: z.unknown().optional() });
const repository = z.object({ full_name: z.string() });
/** Also the payload of comments on issues. */
const payload = z.object({
  action: z.string().optional(),
  issue: issue.optional(),
  repository: repository.optional(),
  /** Of an issue that was opened by a transfer: the one that it was. */
  changes: z.object({ old_issue: issue, old_repository: repository }).optional().catch(undefined),
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
  const { action, changes, ...given } = parsedDelivery(payload, textOf(body)) ?? {};
  const { issue, repository } = changes ? { issue: changes.old_issue, repository: changes.old_repository } : given;
  return {
    deliveryId,
    name: action === undefined ? event : `${event}.${action}`,
    externalId: issue === undefined || issue.pull_request !== undefined ? null : String(issue.number),
    destination: repository?.full_name ?? null,
    sentAt: null,
  };
};
