import { Decimal } from "decimal.js";
import type { Ctx } from "@/server/platform/context";
import { currentPriceBook, priceCall } from "@/server/services/pricing";
import { roughTokens } from "./ask-model";
import { usedToday } from "./budget";
import { answerKey, countCached, meanTokens, type Tokens } from "./cached-answers";
import type { Adjudicator } from "./find-adjudicator";
import type { ModelQuestion } from "./open-model";

/** Output of a short answer without reasoning, for a model that has not answered enough questions in this project. */
const ROUGH_OUTPUT_TOKENS = 150;

/** A question about a conversation of a sample. */
export type Sampled = Pick<ModelQuestion<unknown>, "subject" | "promptWithin">;
export type QuestionsEstimate = {
  /** Number of sampled questions without a reusable answer. */
  toAsk: number;
  /** Per question: measured on this model's answers in this project, or estimated from the length of sampled questions. */
  tokens: Tokens;
  tokensFrom: "project" | "estimate";
  /** US dollars per question; `null` for a model without a known price. */
  usd: Decimal | null;
};

/** Estimates how many questions a model would be asked and what one uses, from a sample. Does not call the model. */
export async function estimateQuestions(
  ctx: Ctx,
  { connectionId, cacheDays }: Adjudicator,
  model: string,
  sampled: readonly Sampled[],
): Promise<QuestionsEstimate> {
  const questions = sampled.map(({ subject, promptWithin }) => {
    const prompt = promptWithin();
    return { key: answerKey(connectionId, model, subject, prompt), tokens: roughTokens(model, prompt) };
  });
  const keys = [...new Set(questions.map(({ key }) => key))];
  const cached = keys.length > 0 ? await countCached(ctx, keys, cacheDays) : 0;
  const measured = await meanTokens(ctx, model);
  return {
    toAsk: keys.length - cached,
    ...(await estimateTokens(
      ctx,
      model,
      questions.map(({ tokens }) => tokens),
      measured,
    )),
  };
}

/** Estimates what one question uses and costs: as measured, or else from the length of these, in tokens. */
export async function estimateTokens(
  ctx: Ctx,
  model: string,
  lengths: readonly number[],
  measured: Tokens | null,
): Promise<Omit<QuestionsEstimate, "toAsk">> {
  const sum = lengths.reduce((total, length) => total + length, 0);
  const tokens = measured ?? {
    input: lengths.length > 0 ? Math.ceil(sum / lengths.length) : 0,
    output: ROUGH_OUTPUT_TOKENS,
  };
  const { totalDecimal } = priceCall(await currentPriceBook(ctx), {
    requestedModel: model,
    responseModel: null,
    provider: null,
    usage: { input_tokens: tokens.input, output_tokens: tokens.output },
  });
  return {
    tokens,
    tokensFrom: measured ? "project" : "estimate",
    usd: totalDecimal === null ? null : new Decimal(totalDecimal),
  };
}

export type BudgetLimit = "calls" | "tokens" | "usd";

/** Returns how many of these questions today's remaining budget allows, and which limit excludes the rest. */
export async function withinBudget(
  ctx: Ctx,
  { connectionId, limits }: Adjudicator,
  questions: number,
  { tokens, usd }: Pick<QuestionsEstimate, "tokens" | "usd">,
): Promise<{ allowed: number; limitedBy: BudgetLimit | null }> {
  const used = await usedToday(ctx, connectionId);
  const perQuestion = { calls: 1, tokens: tokens.input + tokens.output, usd: usd?.toNumber() ?? 0 };
  let least: { allowed: number; limitedBy: BudgetLimit | null } = { allowed: questions, limitedBy: null };
  for (const unit of ["calls", "tokens", "usd"] as const) {
    const limit = limits[unit];
    if (limit === null || perQuestion[unit] === 0) continue;
    const allowed = Math.max(0, Math.floor((limit - used[unit]) / perQuestion[unit]));
    if (allowed < least.allowed) least = { allowed, limitedBy: unit };
  }
  return least;
}
