import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { type Ctx, inTransaction, type ProjectId } from "@/server/platform/context";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import { lockFindings } from "./record-occurrences";
import { recountFindings } from "./refresh-findings";

/**
 * Recounts the large Findings whose deferred recount is due, each in its own transaction, because recording for its Rule is
 * blocked meanwhile. A Finding that fails stays due and does not block the others; the error is thrown at the end.
 */
export async function recountDueFindings(db: Db): Promise<{ recounted: number }> {
  const due = await db.execute<{ project_id: string; id: string; rule_id: string }>(sql`
    select project_id, id, rule_id from findings
    where recount_due_at is not null and recount_due_at <= ${NOW} order by recount_due_at, id`);
  const failures: unknown[] = [];
  for (const { project_id, id, rule_id } of due) {
    const ctx: Ctx = { db, projectId: project_id as ProjectId, actor: { kind: "job", name: "recount-findings" } };
    await inTransaction(ctx, async (tx) => {
      await lockFindings(tx, [rule_id]);
      await tx.db.execute(
        sql`update findings set recount_due_at = null where project_id = ${tx.projectId} and id = ${id}`,
      );
      await recountFindings(tx, [id]);
    }).catch((error: unknown) => {
      failures.push(error);
      logger("diagnostics").error(
        { err: loggable(error), findingId: id, ruleId: rule_id },
        "Could not recount a Finding.",
      );
    });
  }
  if (failures.length > 0) {
    throw new Error(`${failures.length} of ${due.length} Findings could not be recounted.`, { cause: failures[0] });
  }
  return { recounted: due.length };
}
