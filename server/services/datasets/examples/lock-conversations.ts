import { sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";

/** Conversations that could not be locked: `gone` do not exist, `busy` are being changed or deleted by another transaction. */
export type NotLocked = { gone: Set<string>; busy: Set<string> };

/**
 * Locks conversations against deletion until the end of the transaction, and returns those that could not be locked. Never
 * waits for another transaction, which may itself be waiting for the Dataset and may still be rolled back.
 */
export async function lockConversations(tx: Ctx, ids: Iterable<string>): Promise<NotLocked> {
  const left = new Set(ids);
  if (left.size === 0) return { gone: left, busy: new Set() };
  const those = sql`from conversations where project_id = ${tx.projectId} and id = any(${textArray([...left])})`;
  const locked = await tx.db.execute<{ id: string }>(sql`select id ${those} for key share skip locked`);
  for (const { id } of locked) left.delete(id);
  if (left.size === 0) return { gone: left, busy: new Set() };
  const existing = await tx.db.execute<{ id: string }>(sql`select id ${those}`);
  const busy = new Set([...existing].flatMap(({ id }) => (left.has(id) ? [id] : [])));
  for (const id of busy) left.delete(id);
  return { gone: left, busy };
}
