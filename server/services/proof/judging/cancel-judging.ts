import { NOW } from "@/db/now";
import { evaluationJudgings } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { verb } from "@/server/platform/verb";
import { FINE_TUNING_READERS } from "@/server/services/trainers";
import { readEvaluation } from "../evaluations/read-evaluations";
import { evaluationIdInput, evaluationReply, requestedEvaluationReply } from "../evaluations/schemas";
import { isUnfinished } from "./running";

export const cancelJudging = verb(
  {
    name: "evaluations.cancelJudging",
    summary: "Stop asking a model about an evaluation.",
    description:
      "Questions in progress are still answered; what was answered stays and counts. Without a judging in progress nothing changes (200).",
    effect: "write",
    capability: "models:manage",
    input: evaluationIdInput,
    reply: evaluationReply,
    writeOnlyReply: { unless: FINE_TUNING_READERS, reply: requestedEvaluationReply },
  },
  async (ctx, { evaluationId }) => {
    const before = (await readEvaluation(ctx, evaluationId)).judging?.status ?? null;
    await ctx.db
      .update(evaluationJudgings)
      .set({ status: "cancelled", dueAt: null, finishedAt: NOW, updatedAt: NOW })
      .where(isUnfinished(ctx, evaluationId));
    const evaluation = await readEvaluation(ctx, evaluationId);
    auditNote(ctx, {
      target: { type: "evaluation", id: evaluationId },
      before: { judging: before },
      after: { judging: evaluation.judging?.status ?? null },
    });
    return { evaluation };
  },
);
