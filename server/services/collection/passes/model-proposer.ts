import type { Ctx } from "@/server/platform/context";
import {
  type AnswerCache,
  conversationCache,
  findAdjudicator,
  type ModelSession,
  NoAnswer,
  openModel,
} from "@/server/services/diagnostics/adjudicator";
import type { ModelAnswer, Propose } from "../proposals";
import type { Collecting } from "./collection-settings";
import { proposalPrompt, proposedAnswer } from "./proposal-prompt";

/** Conversations per batch when a model is asked, all of them concurrently. */
export const ASKED_AT_ONCE = 4;

/** Returns a function that asks for better answers; `null` if none of these Datasets wants them or no model is connected. */
export type ProposerFor = (datasets: readonly Collecting[]) => Promise<Propose | null>;

/**
 * Returns a proposer that asks the project's connected model for better answers during some batches of a job, within its daily
 * budget. Answers are cached, so reading a batch again costs nothing; an endpoint that turns out not to work is not called
 * again.
 */
export function modelProposer(ctx: Ctx): ProposerFor {
  let opened: Promise<Propose | null> | undefined;
  return async (datasets) => {
    if (!datasets.some(({ asksModel }) => asksModel)) return null;
    opened ??= open(ctx);
    return opened;
  };
}

async function open(ctx: Ctx): Promise<Propose | null> {
  const adjudicator = await findAdjudicator(ctx);
  if (!adjudicator) return null;
  const session = openModel(ctx, adjudicator, "proposal");
  return (request) => ask(ctx, session, conversationCache(ctx, request.conversationId, adjudicator.cacheDays), request);
}

async function ask(
  ctx: Ctx,
  session: ModelSession,
  cache: AnswerCache,
  request: Parameters<Propose>[0],
): Promise<ModelAnswer> {
  try {
    const { answer } = await session.ask({
      subject: "better_answer",
      cache,
      model: null,
      promptWithin: (characters) => proposalPrompt(ctx.projectId, request, characters),
      answer: proposedAnswer,
    });
    const text = answer.answer?.trim() ?? "";
    return text === "" ? { left: "no_better_answer" } : { answer: text };
  } catch (error) {
    if (error instanceof NoAnswer) return { left: "model_unavailable" };
    throw error;
  }
}
