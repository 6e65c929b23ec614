import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { fixes } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { insertFix } from "./insert-fix";

const BY = "model";

/**
 * Watches the Findings that a checkpoint was proven to fix from when it answers under a model's name, in the transaction of
 * the switch. Fixes by this name that are watched end: other weights answered then.
 */
export async function watchDeployed(tx: Ctx, { checkpointId, model }: { checkpointId: string; model: string }) {
  await tx.db
    .update(fixes)
    .set({ endedAt: NOW, endReason: "replaced", dueAt: null })
    .where(
      and(
        eq(fixes.projectId, tx.projectId),
        eq(fixes.by, BY),
        eq(fixes.value, model),
        isNotNull(fixes.startedAt),
        isNull(fixes.endedAt),
      ),
    );
  for (const findingId of await provenAgainst(tx, checkpointId))
    await insertFix(tx, { findingId, by: BY, value: model, kind: "weights", startedAt: NOW });
}

/** Returns the Findings that comparisons proved a checkpoint to fix, locked so that they are not merged meanwhile. */
async function provenAgainst(tx: Ctx, checkpointId: string): Promise<string[]> {
  const rows = await tx.db.execute<{ id: string }>(sql`
    select id from findings
    where project_id = ${tx.projectId} and merged_into_id is null and id in (
      select coalesce(f.merged_into_id, f.id)
      from evaluations e
      join findings f on f.project_id = e.project_id and f.id = e.finding_id
      where e.project_id = ${tx.projectId} and e.checkpoint_id = ${checkpointId} and e.verdict = 'proven')
    order by id
    for share`);
  return [...rows].map(({ id }) => id);
}
