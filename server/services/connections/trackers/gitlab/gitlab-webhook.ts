import { Webhook } from "standardwebhooks";
import { z } from "zod";
import { parsedDelivery } from "../parsed-delivery";
import { sameSecret } from "../same-secret";
import type { ReadWebhook } from "../tracker";

const payload = z.object({
  object_kind: z.string(),
  object_attributes: z.object({ iid: z.number().nullish(), action: z.string().nullish() }).nullish(),
  /** On comments: the issue they belong to. */
  issue: z.object({ iid: z.number() }).nullish(),
  project: z.object({ path_with_namespace: z.string() }).nullish(),
});
type Payload = z.infer<typeof payload>;

/** Kinds whose subject is an issue. */
const ISSUES: ReadonlySet<string> = new Set(["issue", "work_item"]);

const iidOf = ({ object_kind: kind, object_attributes: attributes, issue }: Payload) =>
  ISSUES.has(kind) ? attributes?.iid : kind === "note" ? issue?.iid : undefined;

type Headers = Parameters<ReadWebhook>[1]["headers"];

/** Returns whether a delivery is recent and signed with the webhook's signing token. */
function isSigned(secret: string, headers: Headers, body: Buffer): boolean {
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice("whsec_".length), "base64") : Buffer.from(secret);
  try {
    new Webhook(key, { format: "raw" }).verify(body, { ...headers }, { jsonParse: false });
    return true;
  } catch {
    return false;
  }
}

export const readGitlabWebhook: ReadWebhook = (secret, { headers, body }) => {
  const signed = headers["webhook-signature"] !== undefined;
  const isRight = signed ? isSigned(secret, headers, body) : sameSecret(headers["x-gitlab-token"], secret);
  // Redeliveries share the first two. The third is for the oldest GitLab versions: events triggered by the same event share it.
  const deliveryId = headers["webhook-id"] ?? headers["idempotency-key"] ?? headers["x-gitlab-event-uuid"];
  if (secret === "" || !isRight || !deliveryId) return null;
  const delivery = parsedDelivery(payload, body.toString("utf8"));
  const { object_kind: kind, object_attributes: attributes, project } = delivery ?? {};
  const iid = delivery && iidOf(delivery);
  return {
    deliveryId,
    name: [kind ?? headers["x-gitlab-event"] ?? "", attributes?.action].filter(Boolean).join("."),
    externalId: iid == null ? null : String(iid),
    destination: project?.path_with_namespace ?? null,
    sentAt: signed ? Number.parseInt(headers["webhook-timestamp"] ?? "", 10) * 1000 : null,
  };
};
