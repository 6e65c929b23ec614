import { createOutbound, type OutboundRequest } from "@/server/platform/outbound";
import { connectionClient } from "../../connection-client";
import { kindOf } from "../../kinds";
import type { Caller } from "../../kinds/kind";
import type { ConnectionRow } from "../../read-connection";
import { type ConnectionKind, DEFAULT_SETTINGS } from "../../schemas";

/** For tests: calls a service on loopback as a connection to it does, without a database that holds its secret. */
export function testCaller(kind: ConnectionKind, baseUrl: string, secret: string, settings: object = {}): Caller {
  const all = { ...DEFAULT_SETTINGS[kind], ...settings };
  const outbound = createOutbound({ allow: "127.0.0.1", retryBaseMs: 1 });
  const signed = (request: OutboundRequest): OutboundRequest => {
    const body = typeof request.body === "string" ? request.body : undefined;
    const { headers } = kindOf(kind).sign(secret, { url: new URL(request.url), body }, all as never);
    return { ...request, headers: { ...request.headers, ...headers } };
  };
  const row = { id: "connection-1", projectId: "project-1", name: `Our ${kind}`, kind, baseUrl, settings: all };
  const withoutSecret = {
    secretSealed: null,
    secretDataKey: null,
    secretRingKey: null,
    webhookSecretSealed: null,
    webhookSecretDataKey: null,
    webhookSecretRingKey: null,
    wrapped: null,
  };
  const times = { createdAt: 0, updatedAt: 0, lastTest: null };
  return connectionClient({ ...row, ...withoutSecret, ...times } satisfies ConnectionRow, {
    ...outbound,
    request: (request) => outbound.request(signed(request)),
    json: (request, schema) => outbound.json(signed(request), schema),
    stream: (request) => outbound.stream(signed(request)),
  });
}
