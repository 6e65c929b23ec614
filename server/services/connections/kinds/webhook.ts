import { createHmac, randomUUID } from "node:crypto";
import type { Kind, Signature, Unsigned } from "./kind";

/** Standard Webhooks: id, time and body are signed, so that nothing can be changed or sent again later. */
function standardSignature(secret: string, body = ""): Signature {
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice("whsec_".length), "base64") : Buffer.from(secret);
  const id = `msg_${randomUUID()}`;
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { headers: { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` } };
}

/** The address of an incoming webhook is its credential: the secret is that address, or what follows its host. */
function slackAddress(secret: string, { url }: Unsigned): Signature {
  const path = secret.startsWith(`${url.origin}/`) ? secret.slice(url.origin.length) : `/${secret.replace(/^\/+/, "")}`;
  return { url: new URL(url.origin + path), headers: {} };
}

export const webhook: Kind<"webhook"> = {
  label: "the webhook",
  needsSecret: ({ format }) =>
    format === "signed" ? "There is no secret: what is sent could not be signed." : undefined,
  sign: (secret, request, { format }) =>
    format === "slack" ? slackAddress(secret, request) : standardSignature(secret, request.body),
  addressHint: "It is the address that the receiver gave you.",
  probe: async (service, { format }, { id, name }) => {
    const json =
      format === "slack"
        ? { text: `Whetstone can post here: this tests the connection "${name}".` }
        : { type: "ping", timestamp: new Date().toISOString(), data: { connectionId: id } };
    await service.request({ path: "", method: "POST", json });
    return [];
  },
};
