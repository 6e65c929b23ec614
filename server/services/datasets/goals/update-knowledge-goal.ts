import { NOW } from "@/db/now";
import { knowledgeGoals } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { verb } from "@/server/platform/verb";
import { audited, goalJson, isGoal, lockGoal } from "./knowledge-goals";
import { knowledgeGoalReply, updateKnowledgeGoalInput } from "./schemas";

export const updateKnowledgeGoal = verb(
  {
    name: "knowledgeGoals.update",
    summary: "Change a knowledge goal.",
    description: "Omitted fields keep their value. What was already collected for it stays.",
    effect: "write",
    capability: "models:manage",
    input: updateKnowledgeGoalInput,
    reply: knowledgeGoalReply,
  },
  async (ctx, { knowledgeGoalId, ...changes }) => {
    const before = await lockGoal(ctx, knowledgeGoalId);
    const [row] = await ctx.db
      .update(knowledgeGoals)
      .set({ ...changes, updatedAt: NOW })
      .where(isGoal(ctx, knowledgeGoalId))
      .returning();
    if (!row) throw new Error("The update of a locked knowledge goal returned no row.");
    auditNote(ctx, { before: audited(before), after: audited(row) });
    return { knowledgeGoal: goalJson(row) };
  },
);
