import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { type Ctx, inTransaction, type ProjectId } from "@/server/platform/context";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import type { RunOrigin } from "../finding-events";
import { lockFindings } from "../record-occurrences";
import { continueConversationCounts } from "./conversation-counts";
import { recountDaysAndCauses, recountTotals, updateTrends } from "./recount-findings";

type Due = {
  project_id: string;
  id: string;
  rule_id: string;
  recount: boolean;
  conversations: boolean;
  origin: RunOrigin | null;
};

/**
 * Finishes what is deferred for large Findings, each in transactions of its own, because recording for its Rule is blocked
 * meanwhile: due recounts, and the number of Findings on their conversations. Escalating Findings are reevaluated, since they
 * calm down without any new occurrence. A Finding that fails stays due and does not block the others; the error is thrown at
 * the end.
 */
export async function recountDueFindings(db: Db): Promise<{ recounted: number }> {
  const due = await db.execute<Due>(sql`
    select project_id, id, rule_id, recount_due_at is not null and recount_due_at <= ${NOW} as recount,
      conversations_updated_to is not null as conversations, recount_origin as origin
    from findings
    where recount_due_at is not null and recount_due_at <= ${NOW} or conversations_updated_to is not null
      or escalating_since is not null
    order by recount_due_at, project_id, id`);
  const failures: unknown[] = [];
  for (const finding of due) {
    const { project_id, id, rule_id } = finding;
    const ctx: Ctx = { db, projectId: project_id as ProjectId, actor: { kind: "job", name: "recount-findings" } };
    await finish(ctx, finding).catch((error: unknown) => {
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
  return { recounted: [...due].filter(({ recount }) => recount).length };
}

async function finish(ctx: Ctx, { id, rule_id, recount, conversations, origin }: Due) {
  const locked = <T>(work: (tx: Ctx) => Promise<T>) =>
    inTransaction(ctx, async (tx) => {
      await lockFindings(tx, [rule_id]);
      return work(tx);
    });
  if (recount) {
    // What is recorded between the two is added to the days and causes as it is recorded.
    await locked((tx) => recountDaysAndCauses(tx, [id]));
    await locked(async (tx) => {
      await tx.db.execute(
        sql`update findings set recount_due_at = null where project_id = ${tx.projectId} and id = ${id}`,
      );
      await recountTotals(tx, [id], origin);
    });
  } else await locked((tx) => updateTrends(tx, [id], origin));
  let more = conversations;
  while (more) more = await locked((tx) => continueConversationCounts(tx, id));
}
