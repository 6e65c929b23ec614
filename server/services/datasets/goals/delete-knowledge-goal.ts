import { sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { knowledgeGoals } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { okReply } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { audited, isGoal, lockGoal } from "./knowledge-goals";
import { knowledgeGoalIdInput } from "./schemas";

export const deleteKnowledgeGoal = verb(
  {
    name: "knowledgeGoals.delete",
    summary: "Delete a knowledge goal.",
    description:
      "It is also removed from the `collectionFilters.knowledgeGoalIds` of every Dataset. A Dataset whose list becomes empty collects nothing, rather than everything. What was already collected for it stays.",
    effect: "write",
    capability: "models:manage",
    input: knowledgeGoalIdInput,
    reply: okReply,
  },
  async (ctx, { knowledgeGoalId }) => {
    // Datasets are locked before anything else, as all their writers do.
    const datasets = await removeFromFilters(ctx, knowledgeGoalId);
    const before = await lockGoal(ctx, knowledgeGoalId);
    await ctx.db.delete(knowledgeGoals).where(isGoal(ctx, knowledgeGoalId));
    auditNote(ctx, { before: { ...audited(before), datasets }, after: null });
    return { ok: true as const };
  },
);

/** Returns the ids of the Datasets whose filter named the goal. */
async function removeFromFilters({ db, projectId }: Ctx, goalId: string): Promise<string[]> {
  const rows = await db.execute<{ id: string }>(sql`
    update datasets d
    set collection_filters = jsonb_set(d.collection_filters, '{knowledgeGoalIds}', (d.collection_filters -> 'knowledgeGoalIds') - ${goalId}::text),
      updated_at = ${NOW}
    from (
      select id from datasets
      where project_id = ${projectId} and collection_filters -> 'knowledgeGoalIds' ? ${goalId}::text
      order by id for update
    ) named
    where d.project_id = ${projectId} and d.id = named.id
    returning d.id`);
  return [...rows].map(({ id }) => id);
}
