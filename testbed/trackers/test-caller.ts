import { createOutbound } from "@/server/platform/outbound";
import { connectionClient } from "@/server/services/connections/connection-client";
import type { Caller } from "@/server/services/connections/kinds/kind";
import type { ConnectionRow } from "@/server/services/connections/read-connection";
import { type ConnectionKind, DEFAULT_SETTINGS } from "@/server/services/connections/schemas";

/** For tests: calls a service on loopback as its connection would, without a database that stores the secret. */
export function testCaller(kind: ConnectionKind, baseUrl: string, secret: string, settings: object = {}): Caller {
  const all = { ...DEFAULT_SETTINGS[kind], ...settings };
  const row = { id: "connection-1", projectId: "project-1", name: `Our ${kind}`, kind, baseUrl, settings: all };
  const unsealed = {
    secretSealed: null,
    secretDataKey: null,
    secretRingKey: null,
    webhookSecretSealed: null,
    webhookSecretDataKey: null,
    webhookSecretRingKey: null,
    wrapped: null,
  };
  const others = { createdAt: 0, updatedAt: 0, lastTest: null, lastSequence: 0, pausedAt: null, ticketFields: {} };
  const outbound = createOutbound({ allow: "127.0.0.1", retryBaseMs: 1 });
  return connectionClient({ ...row, ...unsealed, ...others } satisfies ConnectionRow, outbound, secret);
}
