import { sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { evaluations } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { FINE_TUNING_READERS, requireTrainer } from "@/server/services/trainers";
import { isEvaluation, lockEvaluation, readEvaluation } from "./read-evaluations";
import { evaluationIdInput, evaluationReply, requestedEvaluationReply } from "./schemas";

export const cancelEvaluation = verb(
  {
    name: "evaluations.cancel",
    summary: "Cancel an evaluation.",
    description:
      "Existing answers stay, with their counts but without a verdict. An evaluation that has ended is unchanged (200).",
    effect: "write",
    capability: "models:manage",
    input: evaluationIdInput,
    reply: evaluationReply,
    writeOnlyReply: { unless: FINE_TUNING_READERS, reply: requestedEvaluationReply },
  },
  async (ctx, { evaluationId }) => {
    const row = await lockEvaluation(ctx, evaluationId);
    if (!row?.variantId) await requireTrainer(ctx);
    if (!row) throw notFound("The evaluation");
    if (row.finishedAt === null) {
      await ctx.db
        .update(evaluations)
        .set({
          status: "cancelled",
          finishedAt: NOW,
          dueAt: null,
          staleSince: null,
          summary: sql`${evaluations.summary} - 'request'`,
          updatedAt: NOW,
        })
        .where(isEvaluation(ctx, evaluationId));
    }
    const evaluation = await readEvaluation(ctx, evaluationId);
    const { status } = evaluation;
    auditNote(ctx, {
      target: { type: "evaluation", id: evaluationId },
      before: { status: row.status },
      after: { status },
    });
    return { evaluation };
  },
);
