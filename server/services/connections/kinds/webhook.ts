import { randomUUID } from "node:crypto";
import { Webhook } from "standardwebhooks";
import type { Kind, Signature, Unsigned } from "./kind";

/** Signs id, time and body according to Standard Webhooks, so that a message can be neither altered nor replayed later. */
function standardSignature(secret: string, { body = "", messageId: id = `msg_${randomUUID()}` }: Unsigned): Signature {
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice("whsec_".length), "base64") : Buffer.from(secret);
  const now = new Date();
  return {
    headers: {
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
      "webhook-signature": new Webhook(key, { format: "raw" }).sign(id, now, body),
    },
  };
}

/** An incoming webhook's URL is its credential: the secret is the whole URL, or the part after the host. */
function slackAddress(secret: string, { url }: Unsigned): Signature {
  const path = secret.startsWith(`${url.origin}/`) ? secret.slice(url.origin.length) : `/${secret.replace(/^\/+/, "")}`;
  return { url: new URL(url.origin + path), headers: {} };
}

export const webhook: Kind<"webhook"> = {
  label: "the webhook",
  needsSecret: ({ format }) => (format === "signed" ? "There is no secret to sign messages with." : undefined),
  sign: (secret, request, { format }) =>
    format === "slack" ? slackAddress(secret, request) : standardSignature(secret, request),
  addressHint: "Enter the address that the receiver gave you.",
  probe: async (service, { format }, { id, name }) => {
    const json =
      format === "slack"
        ? { text: `Whetstone can post here: this tests the connection "${name}".` }
        : { type: "ping", timestamp: new Date().toISOString(), data: { connectionId: id } };
    await service.request({ path: "", method: "POST", json });
    return [];
  },
};
