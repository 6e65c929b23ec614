import { LRUCache } from "lru-cache";
import type { z } from "zod";
import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { type ConnectionClient, openConnection } from "@/server/services/connections";
import { readObject } from "./answer";
import { askModel, type Model, type ModelReply, NoAnswer, OUTPUT_TOKENS, TooLong } from "./ask-model";
import { type AnswerCache, answerKey, type Tokens } from "./cached-answers";
import type { Adjudicator } from "./find-adjudicator";
import { type Prompt, TRANSCRIPT_CHARACTERS } from "./prompt";

/** The first attempt and one retry, for a reply that fails its schema. */
const ASKS = 2;

/** Returns the prompt with up to `characters` of the conversation, or up to the default number. */
export type PromptWithin = (characters?: number) => Prompt;

export type ModelQuestion<T> = {
  /** What is asked about the conversation. Part of the cached answer's key. */
  subject: string;
  /** Where its answer is looked for before it is asked, and stored. */
  cache: AnswerCache;
  /** Default: the connection's. */
  model: string | null;
  promptWithin: PromptWithin;
  answer: z.ZodType<T>;
};

export type ModelSession = {
  /** Returns a cached or a new answer, and the model's name. Throws `NoAnswer`. */
  ask: <T>(question: ModelQuestion<T>) => Promise<{ answer: T; model: string }>;
};

/**
 * Opens the project's connected model for one purpose of a job, on the first question without a cached answer. Once the
 * endpoint turns out not to work, further questions of this session are not sent to it.
 */
export function openModel(ctx: Ctx, adjudicator: Adjudicator, purpose: string): ModelSession {
  const { connectionId, defaultModel, limits } = adjudicator;
  const broken = new Map<string, NoAnswer>();
  let opened: Promise<ConnectionClient> | undefined;
  /** Questions in progress by the answer's key: two Datasets may need the same answer. */
  const waiting = new Map<string, Promise<unknown>>();

  async function send<T>(name: string, { promptWithin, answer: schema }: ModelQuestion<T>): Promise<Answered<T>> {
    const known = broken.get(name);
    if (known) throw known;
    opened ??= openEndpoint(ctx, connectionId, purpose);
    const client = await opened;
    const model: Model = { client, name, connectionId, limits, purpose };
    const tokens = { input: 0, output: 0 };
    let areKnown = true;
    for (let n = 0; n < ASKS; n++) {
      const reply = await askFitting(ctx, model, promptWithin);
      if (reply.tokens) {
        tokens.input += reply.tokens.input;
        tokens.output += reply.tokens.output;
      } else areKnown = false;
      const answer = readObject(reply.text, schema);
      if (answer) return { answer, reply: reply.text, tokens: areKnown ? tokens : null };
      if (reply.isCutOff)
        throw new NoAnswer(`its reply was cut off after ${OUTPUT_TOKENS.toLocaleString("en")} tokens`);
    }
    throw new NoAnswer("its replies were not in the required format");
  }

  async function answerTo<T>(key: string, model: string, question: ModelQuestion<T>): Promise<T> {
    const cached = question.answer.safeParse(await question.cache.find(key)).data;
    if (cached) return cached;
    try {
      const reply = await send(model, question);
      await question.cache.store(key, { model, ...reply });
      return reply.answer;
    } catch (error) {
      if (error instanceof NoAnswer && error.of === "endpoint") broken.set(model, error);
      throw error;
    }
  }

  return {
    async ask(question) {
      const model = question.model ?? defaultModel;
      if (model === null) throw new NoAnswer("neither the Rule nor the connection names a model");
      const key = answerKey(connectionId, model, question.subject, question.promptWithin());
      const asking = waiting.get(key) ?? answerTo(key, model, question).finally(() => waiting.delete(key));
      waiting.set(key, asking);
      return { answer: question.answer.parse(await asking), model };
    },
  };
}

/** Opens a model connection. Throws `NoAnswer` when it no longer exists or its secret cannot be decrypted. */
export async function openEndpoint(ctx: Ctx, connectionId: string, purpose: string): Promise<ConnectionClient> {
  try {
    return await openConnection(ctx, connectionId, purpose);
  } catch (error) {
    if (error instanceof ServiceError) throw new NoAnswer("its connection cannot be opened", "endpoint");
    throw error;
  }
}

type Answered<T> = { answer: T; reply: string; tokens: Tokens | null };

/** Number of characters that recently turned out too many for a model's context. */
const tooSmall = new LRUCache<string, number>({ max: 500, ttl: 3_600_000 });

/** Asks with as much of the conversation as the model's context allows. */
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
