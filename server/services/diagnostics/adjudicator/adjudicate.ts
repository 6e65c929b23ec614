import type { Ctx } from "@/server/platform/context";
import { type Candidate, RULES, type RuleOccurrence, signalsIn } from "../rules";
import { DEFAULT_CONFIGURATION } from "../rules/schemas";
import type { ConversationSnapshot, Evidence } from "../types";
import { type Answer, answerSchema, supportedMatch } from "./answer";
import { NoAnswer } from "./ask-model";
import { conversationCache } from "./cached-answers";
import type { Adjudicator } from "./find-adjudicator";
import { openModel, type PromptWithin } from "./open-model";
import { promptOf } from "./prompt";

/** Signals that look for text that instructs its reader. Only their questions show such text to the model. */
const READS_ATTACKS: ReadonlySet<string> = new Set(["prompt_injection", "injection_followed", "jailbreak_attempt"]);
const ATTACKS_RULE = "unsafe-content";

/** `match` becomes an occurrence; `null` drops the Signal like any ambiguous one. `note` explains why to readers of the Run. */
export type Settled = { match: RuleOccurrence | null; note: string };
export type Session = {
  settle: (candidate: Candidate, model: string | null, conversation: ConversationSnapshot) => Promise<Settled>;
};

/** Opens the adjudicator for some Runs of a job. A question without an answer leaves the deterministic verdict unchanged. */
export function openAdjudicator(ctx: Ctx, adjudicator: Adjudicator): Session {
  const session = openModel(ctx, adjudicator, "adjudication");
  return {
    async settle(candidate, named, conversation) {
      const { signal } = candidate;
      const promptWithin = promptsOf(ctx.projectId, candidate, conversation);
      const cache = conversationCache(ctx, conversation.id, adjudicator.cacheDays);
      const question = { subject: signal, cache, model: named, promptWithin };
      try {
        const { answer, model } = await session.ask({ ...question, answer: answerSchema });
        return settled(answer, candidate, conversation, model);
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        return {
          match: null,
          note: `The adjudicator did not settle “${signal}”: ${error.message}. The deterministic verdict applies.`,
        };
      }
    },
  };
}

/** Returns the prompts of one question, which differ in how much of the conversation they show. */
export const promptsOf =
  (projectId: string, candidate: Candidate, conversation: ConversationSnapshot): PromptWithin =>
  (characters) =>
    promptOf(
      { candidate, looksFor: looksFor(candidate.signal), readsAttacks: READS_ATTACKS.has(candidate.signal) },
      { projectId, conversation, injected: injectedQuotes(conversation), characters },
    );

function settled(answer: Answer, candidate: Candidate, conversation: ConversationSnapshot, model: string): Settled {
  const note = `${model} on “${candidate.signal}”: ${answer.verdict === "match" ? "match" : "no match"}.`;
  if (answer.verdict === "no_match") return { match: null, note };
  const match = supportedMatch(answer, candidate, conversation);
  if (match) return { match, note };
  return {
    match: null,
    note: `${note} None of its quotes occur in the conversation, so the deterministic verdict applies.`,
  };
}

const LOOKS_FOR = new Map(
  RULES.flatMap(({ detectors }) => detectors).map((detector) => [detector.signal, detector.looksFor]),
);
const looksFor = (signal: string) => LOOKS_FOR.get(signal) ?? signal;

const injected = new WeakMap<ConversationSnapshot, readonly Evidence[]>();

/** Returns the quotes of the injected-instruction detectors in a conversation, whether or not its project has enabled them. */
export function injectedQuotes(conversation: ConversationSnapshot): readonly Evidence[] {
  let quotes = injected.get(conversation);
  if (!quotes) {
    const rule = RULES.find(({ id }) => id === ATTACKS_RULE);
    const found = rule ? signalsIn(rule, conversation, DEFAULT_CONFIGURATION) : [];
    quotes = found.filter(({ signal }) => READS_ATTACKS.has(signal)).flatMap(({ evidence }) => evidence);
    injected.set(conversation, quotes);
  }
  return quotes;
}
