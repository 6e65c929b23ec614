import { auditActor, recordAudit } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { type ConnectionClient, connectionClient } from "./connection-client";
import { type ConnectionRow, readConnection } from "./read-connection";

/**
 * Returns a client of the connection for services and jobs that call it, and records in the audit log who uses its secret for
 * what. `purpose` is one of our own words, such as "test". Must not be called inside a transaction, where network calls are not
 * allowed.
 */
export async function openConnection(ctx: Ctx, connectionId: string, purpose: string): Promise<ConnectionClient> {
  return clientFor(ctx, await readConnection(ctx, connectionId), purpose);
}

/** Returns the client of a connection that has already been read. */
export async function clientFor(ctx: Ctx, row: ConnectionRow, purpose: string): Promise<ConnectionClient> {
  const client = connectionClient(row);
  await recordAudit(ctx.db, {
    action: "connections.use",
    projectId: ctx.projectId,
    actor: auditActor(ctx.actor),
    request: ctx.request,
    target: { type: "connection", id: row.id },
    after: { purpose, host: new URL(row.baseUrl).host },
  });
  return client;
}
