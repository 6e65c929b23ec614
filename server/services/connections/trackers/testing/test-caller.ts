import { createOutbound, type OutboundRequest } from "@/server/platform/outbound";
import { connectionClient } from "../../connection-client";
import { kindOf } from "../../kinds";
import type { Caller } from "../../kinds/kind";
import type { ConnectionRow } from "../../read-connection";
import type { ConnectionKind } from "../../schemas";

/** For tests: what a connection of this kind with this secret calls its service with, without a database. */
export function testCaller(
  kind: ConnectionKind,
  baseUrl: string,
  secret: string,
  settings: Record<string, unknown> = {},
): Caller {
  const client = createOutbound({ allow: "127.0.0.1", retryBaseMs: 1 });
  const signed = (request: OutboundRequest): OutboundRequest => {
    const body = request.body === undefined ? undefined : String(request.body);
    const signature = kindOf(kind).sign(secret, { url: new URL(request.url), body }, settings as never);
    return { ...request, headers: { ...request.headers, ...signature.headers } };
  };
  const row = { id: "c", projectId: "p", kind, name: "Tracker", baseUrl, settings, secretSealed: null };
  return connectionClient(row as unknown as ConnectionRow, {
    ...client,
    request: (request) => client.request(signed(request)),
    json: (request, schema) => client.json(signed(request), schema),
  });
}
