import { sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import type { Cause } from "../versions/open-version";
import type { Change } from "./types";

/**
 * Returns the conversations of drafts from which nothing can be made: they do not exist or are being deleted. The others
 * cannot be deleted until the transaction ends. Never waits for a deletion, which may itself wait for the Dataset.
 *
 * An import may refer to a conversation that has expired since its export: its Example can still be found by the user.
 */
export async function missingConversations(
  tx: Ctx,
  changes: readonly Change[],
  kind: Cause["kind"],
): Promise<ReadonlySet<string>> {
  const ids = new Set(changes.flatMap((change) => linkOf(change)?.conversationId ?? []));
  if (ids.size === 0) return ids;
  const those = sql`from conversations where project_id = ${tx.projectId} and id = any(${textArray([...ids])})`;
  const locked = await tx.db.execute<{ id: string }>(sql`select id ${those} for key share skip locked`);
  for (const { id } of locked) ids.delete(id);
  if (kind !== "import" || ids.size === 0) return ids;
  const existing = await tx.db.execute<{ id: string }>(sql`select id ${those}`);
  return new Set([...existing].flatMap(({ id }) => (ids.has(id) ? [id] : [])));
}

const linkOf = (change: Change) =>
  change.kind === "create" ? change.draft.link : change.kind === "update" ? change.patch.link : undefined;
