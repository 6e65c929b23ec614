import { sql } from "drizzle-orm";
import type { Ctx } from "@/server/platform/context";
import { RULES } from "../rules";
import { lockFindings } from "./record-occurrences";

const STRENGTH = { update: sql`for update`, "no key update": sql`for no key update` };

/**
 * Locks the Findings that show in these conversations, and answers their ids; nobody records an Occurrence of the project
 * until the transaction ends. In the order in which diagnostics take their locks: the Rules' Findings, a Finding, a
 * conversation.
 */
export async function lockFindingsIn(
  tx: Ctx,
  conversationIds: readonly string[],
  strength: keyof typeof STRENGTH,
): Promise<string[]> {
  await lockFindings(
    tx,
    RULES.map((rule) => rule.id),
  );
  const rows = await tx.db.execute<{ id: string }>(sql`
    select f.id from findings f
    where f.project_id = ${tx.projectId} and f.id in (
      select finding_id from occurrences
      where project_id = ${tx.projectId} and conversation_id = any(${sql.param([...conversationIds])}::text[]))
    order by f.id ${STRENGTH[strength]}`);
  return [...rows].map(({ id }) => id);
}
