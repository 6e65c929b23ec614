import { eq, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { auditLog } from "@/db/schema";
import { auditActor, recordAudit } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { MINUTE_MS } from "@/server/platform/durations";
import type { Outbound } from "@/server/platform/outbound";
import { connectionClient } from "./connection-client";
import type { ConnectionClient } from "./kinds/kind";
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
export async function clientFor(
  ctx: Ctx,
  row: ConnectionRow,
  purpose: string,
  outbound?: Outbound,
): Promise<ConnectionClient> {
  const client = connectionClient(row, outbound);
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

/** For connections that are used all the time: one audit entry an hour is enough to record that. */
const AUDIT_MS = 60 * MINUTE_MS;

/** Returns the client of a connection like `clientFor`, with at most one entry an hour for the purpose. */
export const frequentClientFor = async (
  ctx: Ctx,
  row: ConnectionRow,
  purpose: string,
  outbound?: Outbound,
): Promise<ConnectionClient> =>
  (await wasAudited(ctx, row, purpose)) ? connectionClient(row, outbound) : clientFor(ctx, row, purpose, outbound);

async function wasAudited(ctx: Ctx, row: ConnectionRow, purpose: string): Promise<boolean> {
  const [found] = await ctx.db
    .select({ id: auditLog.id })
    .from(auditLog)
    .where(
      sql`${eq(auditLog.projectId, ctx.projectId)} and ${eq(auditLog.targetId, row.id)} and ${eq(auditLog.action, "connections.use")}
        and ${auditLog.after} ->> 'purpose' = ${purpose} and ${auditLog.createdAt} > ${NOW} - ${AUDIT_MS}::bigint
        and ${auditLog.createdAt} >= ${row.updatedAt}`,
    )
    .limit(1);
  return found !== undefined;
}
