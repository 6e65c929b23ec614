import type { Ctx } from "@/server/platform/context";
import type { Snapshot } from "@/server/services/telemetry";
import {
  estimateQuestions,
  findAdjudicator,
  isAdjudication,
  promptsOf,
  type Sampled,
  withinBudget,
} from "../adjudicator";
import { ownQuestion } from "../own-rules/questions";
import { type Candidate, resultOf, runDetectors } from "../rules";
import { boundedDetection } from "../runs/detections";
import type { ConfiguredRule } from "../settings/rule-settings";
import type { ConversationSnapshot, Rule } from "../types";
import { readInPieces } from "../windows/read-in-pieces";
import { readExcerpt, readLong, signalsFound } from "../windows/read-long";
import type { AdjudicationPreview } from "./schemas";

/** Conversations loaded at a time. */
const PAGE = 25;
/** Short because a person is waiting for the preview. */
const TIME_MS = 1_500;

type Input = {
  configured: ConfiguredRule;
  sample: readonly { id: string; lastActivityAt: number }[];
  expected: number;
};

/**
 * Estimates what adjudicating costs when a Rule reads `expected` conversations, by running its detectors over a
 * sample of them. The cost covers what today's remaining budget allows.
 */
export async function previewAdjudication(
  ctx: Ctx,
  { configured, sample, expected }: Input,
): Promise<{ cost: number | null; adjudication: AdjudicationPreview }> {
  const { configuration } = configured;
  if (configuration.adjudicationMode !== "auto") return without("deterministic-only", 0);
  const adjudicator = await findAdjudicator(ctx);
  if (!adjudicator) return without("no-adjudicator");
  const model = configuration.adjudicationModel ?? adjudicator.defaultModel;
  if (model === null) return without("no-model");

  const { read, questions: sampled } = await sampledQuestions(ctx, configured, sample);
  const { toAsk, tokens, tokensFrom, usd } = await estimateQuestions(ctx, adjudicator, model, sampled);
  const questions = read === 0 ? 0 : Math.round((expected * toAsk) / read);
  const known = { model, conversationsSampled: read, questions, tokensPerQuestion: tokens, tokensFrom };
  const { allowed, limitedBy } = await withinBudget(ctx, adjudicator, questions, { tokens, usd });
  const costOf = (count: number) => (count === 0 ? 0 : (usd?.times(count).toNumber() ?? null));
  const reason = usd === null && questions > 0 ? ("no-price" as const) : null;
  return {
    cost: reason === null ? costOf(allowed) : null,
    adjudication: { ...known, reason, questionsAllowed: allowed, limitedBy, cost: costOf(questions) },
  };
}

const without = (reason: AdjudicationPreview["reason"], cost: number | null = null) => ({
  cost,
  adjudication: {
    reason,
    model: null,
    conversationsSampled: 0,
    questions: 0,
    questionsAllowed: 0,
    limitedBy: null,
    tokensPerQuestion: null,
    tokensFrom: null,
    cost,
  },
});

/** Runs the detectors over the sample, for a limited time, and returns what an adjudicator would be asked. */
async function sampledQuestions(
  ctx: Ctx,
  configured: ConfiguredRule,
  sample: Input["sample"],
): Promise<{ read: number; questions: Sampled[] }> {
  const { rule, configuration } = configured;
  const end = performance.now() + TIME_MS;
  const questions: Sampled[] = [];
  let read = 0;
  for (let from = 0; from < sample.length && performance.now() < end; from += PAGE) {
    const page = sample.slice(from, from + PAGE);
    for await (const piece of readInPieces(ctx, page, end)) {
      read += piece.count;
      for (const snapshot of piece.whole) {
        if (isAdjudication(ctx.projectId, snapshot)) continue;
        const result = runDetectors(rule, snapshot, configuration, { adjudicatorConnected: true });
        const { undecided } = boundedDetection(result, snapshot.lastActivityAt);
        questions.push(...undecided.map((candidate) => firstQuestion(ctx, rule, candidate, snapshot)));
      }
      // An own Rule skips long conversations.
      for (const long of rule.own ? [] : piece.long) questions.push(...(await questionsInLong(ctx, configured, long)));
    }
  }
  return { read, questions };
}

async function questionsInLong(
  ctx: Ctx,
  { rule, configuration }: ConfiguredRule,
  long: { snapshot: Snapshot; startedAt: number },
): Promise<Sampled[]> {
  const reading = await readLong(ctx, { ...long, rules: [{ rule, configuration }] });
  if (!reading || reading.isAdjudication) return [];
  const result = resultOf(signalsFound(reading.found[0]), configuration, { adjudicatorConnected: true });
  const { undecided } = boundedDetection(result, reading.conversation.lastActivityAt);
  const excerpt = await readExcerpt(ctx, long.snapshot, undecided);
  return excerpt?.candidates.map((candidate) => firstQuestion(ctx, rule, candidate, excerpt.conversation)) ?? [];
}

/** Returns the question that a candidate leads to first; an own Rule asks further ones after each yes. */
const firstQuestion = (
  { projectId }: Ctx,
  { own }: Rule,
  candidate: Candidate,
  conversation: ConversationSnapshot,
): Sampled =>
  own
    ? ownQuestion(projectId, { definition: own, nth: 0 }, candidate, conversation)
    : { subject: candidate.signal, promptWithin: promptsOf(projectId, candidate, conversation) };
