import type { Ctx } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import {
  type Adjudicator,
  estimateTokens,
  findAdjudicator,
  roughTokens,
  withinBudget,
} from "@/server/services/diagnostics/adjudicator";
import { FINE_TUNING_READERS } from "@/server/services/trainers";
import { readEvaluation } from "../evaluations/read-evaluations";
import { meanTokens } from "./judgements";
import { planJudging } from "./plan";
import { judgedModels, mayPreferItself } from "./result";
import { type JudgePreview, judgePreviewInput, judgePreviewReply } from "./schemas";

const NOTHING: JudgePreview = {
  reason: null,
  model: null,
  rows: 0,
  withoutReference: 0,
  questions: 0,
  toAsk: 0,
  allowed: 0,
  limitedBy: null,
  tokensPerQuestion: null,
  tokensFrom: null,
  cost: null,
  mayPreferItself: false,
};

export const previewJudging = verb(
  {
    name: "evaluations.judgePreview",
    summary: "See what asking the project's connected model to judge an evaluation would take.",
    description:
      "Counts the questions exactly; their tokens and cost are estimates. Nothing is sent. `allowed` is what is left of the connection's daily budget.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: judgePreviewInput,
    reply: judgePreviewReply,
  },
  async (ctx, { evaluationId, preference }) => {
    const { before, after } = await readEvaluation(ctx, evaluationId);
    const adjudicator = await findAdjudicator(ctx);
    if (!adjudicator) return { preview: { ...NOTHING, reason: "no-adjudicator" as const } };
    const { defaultModel: model } = adjudicator;
    if (model === null) return { preview: { ...NOTHING, reason: "no-model" as const } };
    const preview = await previewOf(ctx, evaluationId, adjudicator, { model, withPreference: preference });
    return { preview: { ...preview, mayPreferItself: mayPreferItself(model, judgedModels(before, after)) } };
  },
);

async function previewOf(
  ctx: Ctx,
  evaluationId: string,
  adjudicator: Adjudicator,
  choice: { model: string; withPreference: boolean },
): Promise<JudgePreview> {
  const { rows, questions, open, known } = await planJudging(ctx, evaluationId, adjudicator, choice);
  const { model } = choice;
  const asked = [...open].flatMap(([key, [first]]) => (known.has(key) || !first ? [] : [first]));
  const lengths = asked.map(({ promptWithin }) => roughTokens(model, promptWithin()));
  const { tokens, tokensFrom, usd } = await estimateTokens(ctx, model, lengths, await meanTokens(ctx, model));
  const { allowed, limitedBy } = await withinBudget(ctx, adjudicator, asked.length, { tokens, usd });
  const isUnpriced = usd === null && asked.length > 0;
  // Without a price, a limit in US dollars lets nothing pass.
  const isStopped = isUnpriced && adjudicator.limits.usd !== null;
  return {
    ...NOTHING,
    reason: rows.length === 0 ? "no-rows" : isUnpriced ? "no-price" : null,
    model,
    rows: rows.length,
    withoutReference: rows.filter(({ reference }) => reference === null).length,
    questions: questions.length,
    toAsk: asked.length,
    allowed: isStopped ? 0 : allowed,
    limitedBy: isStopped ? "usd" : limitedBy,
    tokensPerQuestion: tokens,
    tokensFrom,
    cost: asked.length === 0 ? 0 : (usd?.times(asked.length).toNumber() ?? null),
  };
}
