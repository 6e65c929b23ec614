import { NOW } from "@/db/now";
import { evaluationJudgings } from "@/db/schema";
import { auditActor, auditNote } from "@/server/platform/audit";
import { notFound, ServiceError, unprocessable } from "@/server/platform/errors";
import { judgingDue } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { verb } from "@/server/platform/verb";
import { findAdjudicator } from "@/server/services/diagnostics/adjudicator";
import { FINE_TUNING_READERS } from "@/server/services/trainers";
import { lockEvaluation, readEvaluation } from "../evaluations/read-evaluations";
import { evaluationReply, requestedEvaluationReply } from "../evaluations/schemas";
import { deleteUnusable } from "./judgements";
import { judgedRows } from "./plan";
import { JUDGE_PROMPT_VERSION } from "./prompts";
import { resultOf } from "./result";
import { isJudging } from "./running";
import { judgeInput } from "./schemas";

export const judgeEvaluation = verb(
  {
    name: "evaluations.judge",
    summary: "Ask the project's connected model to judge the answers of an evaluation, in the background.",
    description:
      "It says of each answer whether it is right, by the reference, and with `preference` which of both answers is better, in both orders: a choice that turns with the order is a tie. The rows' words are sent to the model connection, within its daily budget; see `evaluations.judgePreview` first. Whatever was answered before is not asked again. A proof that rests on a model's word is `proven` only once people have reviewed 30 rows blind, or all if there are fewer. 409: the evaluation is running, or its rows are being judged.",
    effect: "write",
    capability: "models:manage",
    input: judgeInput,
    reply: evaluationReply,
    writeOnlyReply: { unless: FINE_TUNING_READERS, reply: requestedEvaluationReply },
  },
  async (ctx, { evaluationId, preference: withPreference, maxQuestions }) => {
    const record = await lockEvaluation(ctx, evaluationId);
    if (!record) throw notFound("The evaluation");
    if (record.finishedAt === null)
      throw new ServiceError("conflict", "Both models are still answering. Judge the answers once that has ended.");
    const adjudicator = await findAdjudicator(ctx);
    if (!adjudicator)
      throw unprocessable(
        "",
        "No model is connected to judge with. Connect one, and choose it in the diagnostic settings if there are several.",
      );
    const { connectionId, defaultModel: model } = adjudicator;
    if (model === null) throw unprocessable("", "The model connection names no model. Set its default model.");
    if (await isJudging(ctx, evaluationId))
      throw new ServiceError("conflict", "The rows are being judged. Wait until that has ended, or cancel it.");
    if ((await judgedRows(ctx, evaluationId)).length === 0)
      throw unprocessable("/evaluationId", "The evaluation has no answers to judge.");
    await deleteUnusable(ctx, evaluationId, model);
    const values = {
      status: "queued" as const,
      connectionId,
      model,
      promptVersion: JUDGE_PROMPT_VERSION,
      withPreference,
      maxQuestions,
      result: resultOf({ said: [], questions: 0, asked: 0, withPreference, even: 0, reviews: new Map() }),
      note: null,
      dueAt: NOW,
      actorKind: ctx.actor.kind,
      actorId: auditActor(ctx.actor).id,
      createdAt: NOW,
      finishedAt: null,
      updatedAt: NOW,
    };
    await ctx.db
      .insert(evaluationJudgings)
      .values({ projectId: ctx.projectId, id: evaluationId, ...values })
      .onConflictDoUpdate({ target: [evaluationJudgings.projectId, evaluationJudgings.id], set: values });
    await emit(ctx.db, judgingDue.create({ projectId: ctx.projectId, evaluationId }));
    auditNote(ctx, {
      target: { type: "evaluation", id: evaluationId },
      after: { model, withPreference, maxQuestions },
    });
    return { evaluation: await readEvaluation(ctx, evaluationId) };
  },
);
