import type { Ctx } from "@/server/platform/context";
import { count } from "@/server/platform/text/amounts";
import { answerSchema, supportedMatch } from "../adjudicator/answer";
import { NoAnswer } from "../adjudicator/ask-model";
import { conversationCache } from "../adjudicator/cached-answers";
import type { Adjudicator } from "../adjudicator/find-adjudicator";
import { type ModelSession, openModel } from "../adjudicator/open-model";
import type { Candidate, RuleOccurrence } from "../rules";
import type { ConversationSnapshot } from "../types";
import { maskedPassages, ownQuestion } from "./questions";
import type { OwnDefinition } from "./schemas";

/** `match`: `null` for no. `unanswered` says why there is no verdict. `reason`: the model's, about its last answer. */
export type Judged = {
  match: RuleOccurrence | null;
  asked: number;
  reason: string;
  quotes: string[];
  unanswered: string | null;
  notes: string[];
};

export type Question = {
  definition: OwnDefinition;
  /** Default: the connection's. */
  model: string | null;
  candidate: Candidate;
  conversation: ConversationSnapshot;
};
export type Judge = (question: Question) => Promise<Judged>;

/** Opens the project's model as the judge of own Rules, for one job. */
export const openJudge = (ctx: Ctx, adjudicator: Adjudicator): Judge =>
  judgeWith(ctx, adjudicator, openModel(ctx, adjudicator, "adjudication"));

/**
 * Returns a judge that asks a Rule's questions in turn until one is answered with no. A yes without a quote from the
 * conversation is a no. What the model does not answer has no verdict.
 */
export const judgeWith =
  (ctx: Ctx, { cacheDays }: Pick<Adjudicator, "cacheDays">, session: ModelSession): Judge =>
  async ({ definition, model: named, candidate, conversation }) => {
    const cache = conversationCache(ctx, conversation.id, cacheDays);
    const found: RuleOccurrence[] = [];
    const judged: Judged = { match: null, asked: 0, reason: "", quotes: [], unanswered: null, notes: [] };
    let who = "";
    while (found.length < definition.asks) {
      const about = { definition, nth: judged.asked };
      const question = ownQuestion(ctx.projectId, about, candidate, conversation);
      try {
        const { answer, model } = await session.ask({ ...question, cache, model: named, answer: answerSchema });
        judged.asked++;
        judged.reason = answer.reason;
        judged.quotes = answer.quotes.slice(0, 3);
        who = model;
        // What the filter points at is where its words occur, not where the problem is.
        const match =
          answer.verdict === "match" && supportedMatch(answer, { ...candidate, evidence: [] }, conversation);
        if (!match) break;
        found.push(match);
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        return { ...judged, unanswered: error.message };
      }
    }
    const isMatch = found.length === definition.asks;
    const masked = maskedPassages(conversation);
    judged.notes.push(`${who}: ${isMatch ? "match" : "no match"} after ${count(judged.asked, "question")}.`);
    if (masked > 0)
      judged.notes.push(`Judged without ${count(masked, "masked passage")}: instructions to whoever reads them.`);
    return isMatch ? { ...judged, match: combined(found) } : judged;
  };

/** Returns one occurrence with the quotes of all answers and the lowest confidence among them. */
function combined(found: readonly RuleOccurrence[]): RuleOccurrence {
  const evidence = new Map(
    found.flatMap((one) => one.evidence.map((quote) => [`${quote.messageIndex} ${quote.start} ${quote.end}`, quote])),
  );
  return {
    ...found[0]!,
    confidence: Math.min(...found.map(({ confidence }) => confidence)),
    evidence: [...evidence.values()],
  };
}
