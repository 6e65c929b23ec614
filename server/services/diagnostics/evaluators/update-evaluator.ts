import { and, eq, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { evaluators } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { updatedEvaluatorReply, updateEvaluatorInput } from "./schemas";
import { failsWhenOf, isResult, storedAs } from "./stored-evaluators";

export const updateEvaluator = verb(
  {
    name: "evaluators.update",
    summary: "Say which results of an evaluator mean that a conversation failed.",
    description:
      "Evaluators do not say which end of their scale is bad: relevance is bad when low, toxicity when high. `failsWhen: null` forgets what was said.",
    effect: "write",
    capability: "diagnostics:write",
    input: updateEvaluatorInput,
    reply: updatedEvaluatorReply,
  },
  async (ctx, { name, failsWhen }) => {
    const own = and(eq(evaluators.projectId, ctx.projectId), eq(evaluators.name, name));
    const [before] = await ctx.db.select().from(evaluators).where(own).for("update");
    const [result] = await ctx.db.execute(
      sql`select 1 from feedback f where ${isResult(ctx.projectId)} and f.name = ${name} limit 1`,
    );
    if (!before && !result) throw notFound("Evaluator");
    if (failsWhen === null) await ctx.db.delete(evaluators).where(own);
    else {
      const values = { ...storedAs(failsWhen), updatedAt: NOW };
      await ctx.db
        .insert(evaluators)
        .values({ projectId: ctx.projectId, name, ...values })
        .onConflictDoUpdate({ target: [evaluators.projectId, evaluators.name], set: values });
    }
    auditNote(ctx, {
      target: { type: "evaluator", id: name },
      before: { failsWhen: before ? failsWhenOf(before) : null },
      after: { failsWhen },
    });
    return { evaluator: { name, failsWhen } };
  },
);
