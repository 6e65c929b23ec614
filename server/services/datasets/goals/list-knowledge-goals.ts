import { and, eq } from "drizzle-orm";
import { knowledgeGoals } from "@/db/schema";
import { listPage } from "@/server/platform/cursor";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { goalJson, isGoal } from "./knowledge-goals";
import { knowledgeGoalIdInput, knowledgeGoalReply, knowledgeGoalsReply, listKnowledgeGoalsInput } from "./schemas";

export const listKnowledgeGoals = verb(
  {
    name: "knowledgeGoals.list",
    summary: "List knowledge goals, newest first.",
    description:
      "What a model should know about the project. Collection finds conversations about a goal by its title and `keyPhrases`. A project has at most 500 goals.",
    effect: "read",
    capability: "workspace:read",
    input: listKnowledgeGoalsInput,
    reply: knowledgeGoalsReply,
  },
  async (ctx, { limit, cursor }) => {
    const { rows, nextCursor } = await listPage(
      { name: "knowledge-goals", table: knowledgeGoals, filters: { project: ctx.projectId }, limit, cursor },
      (after) =>
        ctx.db
          .select()
          .from(knowledgeGoals)
          .where(and(eq(knowledgeGoals.projectId, ctx.projectId), after)),
    );
    return { knowledgeGoals: rows.map(goalJson), nextCursor };
  },
);

export const getKnowledgeGoal = verb(
  {
    name: "knowledgeGoals.get",
    summary: "Read one knowledge goal.",
    description: "Its title, description, and the `keyPhrases` by which collection finds conversations about it.",
    effect: "read",
    capability: "workspace:read",
    input: knowledgeGoalIdInput,
    reply: knowledgeGoalReply,
  },
  async (ctx, { knowledgeGoalId }) => {
    const [row] = await ctx.db.select().from(knowledgeGoals).where(isGoal(ctx, knowledgeGoalId));
    if (!row) throw notFound("The knowledge goal");
    return { knowledgeGoal: goalJson(row) };
  },
);
