import { eq, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { knowledgeGoals } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { type Ctx, idOfActor } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { verb } from "@/server/platform/verb";
import { audited, goalJson } from "./knowledge-goals";
import { createKnowledgeGoalInput, GOALS_MAX, knowledgeGoalReply } from "./schemas";

export const createKnowledgeGoal = verb(
  {
    name: "knowledgeGoals.create",
    summary: "Create a knowledge goal: something that a model should know about the project.",
    description: `Datasets with the objective \`teach_project_knowledge\` collect answers from conversations that match the title, the description or a key phrase. A project has at most ${GOALS_MAX} (409 beyond).`,
    effect: "write",
    capability: "models:manage",
    input: createKnowledgeGoalInput,
    reply: knowledgeGoalReply,
  },
  async (ctx, input) => {
    await requireRoom(ctx);
    const [row] = await ctx.db
      .insert(knowledgeGoals)
      .values({
        projectId: ctx.projectId,
        id: newId("kg"),
        ...input,
        actorKind: ctx.actor.kind,
        actorId: idOfActor(ctx.actor),
        updatedAt: NOW,
      })
      .returning();
    if (!row) throw new Error("The insert of a knowledge goal returned no row.");
    auditNote(ctx, { target: { type: "knowledgeGoal", id: row.id }, after: audited(row) });
    return { knowledgeGoal: goalJson(row) };
  },
);

/** Serializes counting: goals created concurrently would not see each other. */
async function requireRoom({ db, projectId }: Ctx) {
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`knowledge goals ${projectId}`}, 0))`);
  if ((await db.$count(knowledgeGoals, eq(knowledgeGoals.projectId, projectId))) >= GOALS_MAX)
    throw new ServiceError("conflict", `The project has ${GOALS_MAX} knowledge goals. Delete or merge some first.`);
}
