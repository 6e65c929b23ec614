import { sql } from "drizzle-orm";
import type { Ctx } from "@/server/platform/context";
import { projectRules } from "../../own-rules/stored-rules";
import { lockFindings } from "../record-occurrences";

const STRENGTH = { update: sql`for update`, "no key update": sql`for no key update` };

/**
 * Locks the Findings that occur in these conversations and returns their ids. Also blocks recording of Occurrences in the
 * project until the transaction ends. The lock order throughout diagnostics is Rules, Findings, conversations.
 */
export async function lockFindingsIn(
  tx: Ctx,
  conversationIds: readonly string[],
  strength: keyof typeof STRENGTH,
): Promise<string[]> {
  await lockFindings(
    tx,
    (await projectRules(tx)).map(({ id }) => id),
  );
  const rows = await tx.db.execute<{ id: string }>(sql`
    select f.id from findings f
    where f.project_id = ${tx.projectId} and f.id in (
      select finding_id from occurrences
      where project_id = ${tx.projectId} and conversation_id = any(${sql.param([...conversationIds])}::text[]))
    order by f.id ${STRENGTH[strength]}`);
  return [...rows].map(({ id }) => id);
}
