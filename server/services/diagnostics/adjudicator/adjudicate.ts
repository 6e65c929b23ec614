import { LRUCache } from "lru-cache";
import type { Ctx } from "@/server/platform/context";
import { openConnection } from "@/server/services/connections";
import { type Candidate, RULES, type RuleOccurrence, signalsIn } from "../rules";
import { DEFAULT_CONFIGURATION } from "../rules/schemas";
import type { ConversationSnapshot, Evidence } from "../types";
import { type Answer, readAnswer, supportedMatch } from "./answer";
import { askModel, type Model, type ModelReply, NoAnswer, OUTPUT_TOKENS, TooLong } from "./ask-model";
import { answerKey, cacheAnswer, cachedAnswer, type Tokens } from "./cached-answers";
import type { Adjudicator } from "./find-adjudicator";
import { type Prompt, promptOf, TRANSCRIPT_CHARACTERS } from "./prompt";

/** Signals that look for text which instructs its reader: only their questions show it. */
const READS_ATTACKS: ReadonlySet<string> = new Set(["prompt_injection", "injection_followed", "jailbreak_attempt"]);
const ATTACKS_RULE = "unsafe-content";

/** The first question and one retry, where a reply fails its schema. */
const ASKS = 2;

/** `match`: what becomes an occurrence. `null`: it is dropped like any ambiguous Signal. `note`: why, for readers of the Run. */
export type Settled = { match: RuleOccurrence | null; note: string };
export type Session = {
  settle: (candidate: Candidate, model: string | null, conversation: ConversationSnapshot) => Promise<Settled>;
};

/**
 * Opens the adjudicator for some Runs of a job. A question that gets no answer leaves the deterministic verdict; once the
 * endpoint turns out not to work, further questions of this session are not sent to it.
 */
export async function openAdjudicator(ctx: Ctx, adjudicator: Adjudicator): Promise<Session> {
  const { connectionId, defaultModel, limits, cacheDays } = adjudicator;
  const client = await openConnection(ctx, connectionId, "adjudication");
  const broken = new Map<string, NoAnswer>();

  async function ask(model: Model, promptWithin: PromptWithin): Promise<Answered> {
    const known = broken.get(model.name);
    if (known) throw known;
    const tokens = { input: 0, output: 0 };
    let areKnown = true;
    for (let n = 0; n < ASKS; n++) {
      const reply = await askFitting(ctx, model, promptWithin);
      if (reply.tokens) {
        tokens.input += reply.tokens.input;
        tokens.output += reply.tokens.output;
      } else areKnown = false;
      const answer = readAnswer(reply.text);
      if (answer) return { answer, tokens: areKnown ? tokens : null };
      if (reply.isCutOff)
        throw new NoAnswer(`its reply was cut off after ${OUTPUT_TOKENS.toLocaleString("en")} tokens`);
    }
    throw new NoAnswer("its replies were not of the required form");
  }

  return {
    async settle(candidate, named, conversation) {
      const name = named ?? defaultModel;
      const stands = (why: string): Settled => ({
        match: null,
        note: `The adjudicator did not settle “${candidate.signal}”: ${why}. The deterministic verdict stands.`,
      });
      if (name === null) return stands("neither the Rule nor the connection names a model");
      const promptWithin = promptsOf(ctx.projectId, candidate, conversation);
      const key = answerKey(connectionId, name, candidate.signal, promptWithin());
      try {
        let answer = await cachedAnswer(ctx, key, cacheDays);
        if (!answer) {
          const asked = await ask({ client, name, connectionId, limits }, promptWithin);
          answer = asked.answer;
          await cacheAnswer(ctx, key, { conversationId: conversation.id, model: name, ...asked });
        }
        return settled(answer, candidate, conversation, name);
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        if (error.of === "endpoint") broken.set(name, error);
        return stands(error.message);
      }
    },
  };
}

type Answered = { answer: Answer; tokens: Tokens | null };
/** Returns the prompt with so many characters of the conversation, or with the usual number. */
type PromptWithin = (characters?: number) => Prompt;

/** Returns the prompts of one question, which differ in how much of the conversation they show. */
export const promptsOf =
  (projectId: string, candidate: Candidate, conversation: ConversationSnapshot): PromptWithin =>
  (characters) =>
    promptOf(
      { candidate, looksFor: looksFor(candidate.signal), readsAttacks: READS_ATTACKS.has(candidate.signal) },
      { projectId, conversation, injected: injectedQuotes(conversation), characters },
    );

/** Models whose context was too small for so many characters, lately. */
const tooSmall = new LRUCache<string, number>({ max: 500, ttl: 3_600_000 });

/** Asks with as much of the conversation as fits into the model's context. */
async function askFitting(ctx: Ctx, model: Model, promptWithin: PromptWithin): Promise<ModelReply> {
  const key = `${model.connectionId} ${model.name}`;
  const below = tooSmall.get(key) ?? Number.POSITIVE_INFINITY;
  let refused: string | undefined;
  for (const characters of TRANSCRIPT_CHARACTERS) {
    const prompt = promptWithin(characters);
    const isLast = characters === TRANSCRIPT_CHARACTERS.at(-1);
    if ((characters >= below && !isLast) || prompt.user === refused) continue;
    try {
      return await askModel(ctx, model, prompt);
    } catch (error) {
      if (!(error instanceof TooLong)) throw error;
      refused = prompt.user;
      tooSmall.set(key, characters);
    }
  }
  throw new TooLong();
}

function settled(answer: Answer, candidate: Candidate, conversation: ConversationSnapshot, model: string): Settled {
  const told = `${model} on “${candidate.signal}”: ${answer.verdict === "match" ? "match" : "no match"}.`;
  if (answer.verdict === "no_match") return { match: null, note: told };
  const match = supportedMatch(answer, candidate, conversation);
  if (match) return { match, note: told };
  return {
    match: null,
    note: `${told} None of its quotes is in the conversation, so the deterministic verdict stands.`,
  };
}

const LOOKS_FOR = new Map(
  RULES.flatMap(({ detectors }) => detectors).map((detector) => [detector.signal, detector.looksFor]),
);
const looksFor = (signal: string) => LOOKS_FOR.get(signal) ?? signal;

const injected = new WeakMap<ConversationSnapshot, readonly Evidence[]>();

/** Returns what the detectors of injected instructions quote in a conversation, whatever its project has turned on. */
function injectedQuotes(conversation: ConversationSnapshot): readonly Evidence[] {
  let quotes = injected.get(conversation);
  if (!quotes) {
    const rule = RULES.find(({ id }) => id === ATTACKS_RULE);
    const found = rule ? signalsIn(rule, conversation, DEFAULT_CONFIGURATION) : [];
    quotes = found.filter(({ signal }) => READS_ATTACKS.has(signal)).flatMap(({ evidence }) => evidence);
    injected.set(conversation, quotes);
  }
  return quotes;
}
