import { randomUUID } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { unprocessable } from "@/server/platform/errors";
import type { WebhookFormat } from "../schemas";
import type { Signature, Unsigned } from "./kind";

/** What a webhook does with its secret, and how it is tested, by the format of its messages. */
type Channel = {
  /** The test's message when there is no secret. */
  needsSecret?: string;
  /** Throws for a secret that cannot be that of the address. */
  checkSecret?: (secret: string, baseUrl: string) => void;
  /** Adds the secret to a message. */
  sign: (secret: string, message: Unsigned) => Signature;
  /** The message of a test. */
  greeting: (connection: { id: string; name: string }) => object;
};

export const CHANNELS: Record<WebhookFormat, Channel> = {
  signed: {
    needsSecret: "There is no secret to sign messages with.",
    sign: standardSignature,
    greeting: ({ id }) => ({ type: "ping", timestamp: new Date().toISOString(), data: { connectionId: id } }),
  },
  slack: {
    checkSecret(secret, baseUrl) {
      const { origin } = new URL(baseUrl);
      if (URL.canParse(secret) && new URL(secret).origin !== origin)
        throw unprocessable("/secret", `This address is not on ${origin}.`);
    },
    sign: slackAddress,
    greeting: ({ name }) => ({ text: `Whetstone can post here: this tests the connection "${name}".` }),
  },
};

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
