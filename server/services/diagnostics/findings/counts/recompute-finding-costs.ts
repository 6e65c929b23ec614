import { sql } from "drizzle-orm";
import type { Ctx } from "@/server/platform/context";
import { lockFindingsIn } from "./lock-findings-in";

/**
 * Runs `work`, which changes the costs of these conversations, and then recomputes the costs of the Findings that occur in
 * them. Must run in the caller's transaction; recording Occurrences of the project is blocked until it ends.
 */
export async function recomputeFindingCosts<T>(
  tx: Ctx,
  conversationIds: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  const touched = await lockFindingsIn(tx, conversationIds, "no key update");
  const result = await work();
  if (touched.length > 0) {
    await tx.db.execute(sql`
      update findings f set affected_cost = t.cost, unpriced_call_count = t.unpriced
      from (
        select o.finding_id, sum(c.cost) as cost, sum(c.unpriced_call_count) as unpriced from occurrences o
        join conversations c on c.project_id = o.project_id and c.id = o.conversation_id
        where o.project_id = ${tx.projectId} and o.finding_id = any(${sql.param(touched)}::text[])
        group by o.finding_id
      ) t
      where f.project_id = ${tx.projectId} and f.id = t.finding_id
        and (f.affected_cost is distinct from t.cost or f.unpriced_call_count <> t.unpriced)`);
  }
  return result;
}
