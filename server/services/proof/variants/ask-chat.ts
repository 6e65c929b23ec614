import { createHash } from "node:crypto";
import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { canonicalJson } from "@/server/platform/json/canonical-json";
import { type ConnectionClient, modelConnections, openConnection } from "@/server/services/connections";
import { complete, type Model, mostUsed, NoAnswer, usageOf } from "@/server/services/diagnostics/adjudicator";
import { currentPriceBook, type PriceBook } from "@/server/services/pricing";
import { answerText } from "../evaluations/verdict/answer-text";
import { type ChatRequest, fieldsOf } from "./overlay";
import type { VariantParameters } from "./schemas";

/** The most tokens of an answer, where a variant sets no other limit: longer than nearly all answers of an assistant. */
const ANSWER_TOKENS = 4_096;
/** Of an answer whose length nobody knows. */
const USUAL_TOKENS = 300;
const BYTES_PER_TOKEN = 4;

/** A model behind a connection, with what it is sent besides the messages. */
export type ChatModel = { connectionId: string; model: string; parameters: VariantParameters };

export type ChatAnswer = {
  /** The text or, if it calls tools, the calls as `answerText` writes them. */
  content: string;
  finishReason: "stop" | "length";
  tokens: { input: number; output: number } | null;
  /** US dollars; `null` for a model without a price. */
  cost: number | null;
};

/** Asks connected models for answers to whole conversations. */
export type Chat = {
  /** SHA-256 over what is sent and where to: equal questions have one. */
  keyOf: (to: ChatModel, request: ChatRequest) => string;
  /** The most that an answer may cost, in US dollars; `null` for a model without a price. */
  mostOf: (to: ChatModel, request: ChatRequest) => number | null;
  /** What an answer as long as `like` probably costs. */
  usualOf: (to: ChatModel, request: ChatRequest, like: string | null) => number | null;
  /** Throws `NoAnswer`. */
  ask: (to: ChatModel, request: ChatRequest) => Promise<ChatAnswer & { calls: ToolCall[]; text: string }>;
};
/** A tool call of an answer, with its arguments as sent. */
export type ToolCall = { id: string; name: string; arguments: string };

const sentOf = ({ model, parameters }: ChatModel, { messages, tools }: ChatRequest) => ({
  model,
  messages,
  ...(tools && tools.length > 0 && { tools }),
  ...fieldsOf(parameters),
});
const outputOf = ({ parameters }: ChatModel) => parameters.maxTokens ?? ANSWER_TOKENS;

/** Throws `NoAnswer` for a connection that no longer exists or whose secret cannot be decrypted. */
function asNoAnswer(error: unknown): never {
  if (error instanceof ServiceError) throw new NoAnswer("its connection cannot be opened", "endpoint");
  throw error;
}

/** Prepares for questions of one job; a connection is opened at the first question to it. */
export async function openChat(ctx: Ctx, purpose: string): Promise<Chat> {
  const prices: PriceBook = await currentPriceBook(ctx);
  const settings = new Map((await modelConnections(ctx)).map((one) => [one.id, one.settings]));
  const clients = new Map<string, Promise<ConnectionClient>>();
  const clientOf = (connectionId: string) => {
    const client = clients.get(connectionId) ?? openConnection(ctx, connectionId, purpose);
    clients.set(connectionId, client);
    return client;
  };
  return {
    keyOf: (to, request) =>
      createHash("sha256")
        .update(canonicalJson([to.connectionId, outputOf(to), sentOf(to, request), request.recorded ?? null]))
        .digest("hex"),
    mostOf: (to, request) => mostUsed(prices, to.model, JSON.stringify(sentOf(to, request)), outputOf(to)).usd,
    usualOf: (to, request, like) => {
      const tokens = (text: string) => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
      const usage = {
        prompt_tokens: tokens(JSON.stringify(sentOf(to, request))),
        completion_tokens: like === null ? USUAL_TOKENS : tokens(like),
      };
      return usageOf(prices, to.model, { model: null, usage }).usd;
    },
    async ask(to, request) {
      const limits = settings.get(to.connectionId);
      const model: Model = {
        client: await clientOf(to.connectionId).catch(asNoAnswer),
        name: to.model,
        connectionId: to.connectionId,
        limits: {
          calls: limits?.dailyCalls ?? null,
          tokens: limits?.dailyTokens ?? null,
          usd: limits?.dailyUsd ?? null,
        },
        purpose,
      };
      const outputTokens = outputOf(to);
      const reply = await complete(ctx, model, {
        outputTokens,
        bodyOf: ({ maxTokens, temperature }) => {
          const { temperature: given, ...sent } = sentOf(to, request) as { temperature?: number };
          return {
            ...sent,
            ...(given !== undefined && !temperature && { temperature: given }),
            ...(maxTokens ? { max_completion_tokens: outputTokens } : { max_tokens: outputTokens }),
          };
        },
      });
      const { message, finish_reason: reason } = reply.choices[0]!;
      const { usage } = reply;
      const text = message.content ?? message.refusal ?? "";
      const calls = (message.tool_calls ?? []).map(({ id, function: called }, at) => ({
        id: id ?? `call_${at}`,
        ...called,
      }));
      return {
        text,
        calls,
        content: answerText(text, calls),
        finishReason: reason === "length" ? "length" : "stop",
        tokens: usage
          ? { input: Math.round(usage.prompt_tokens), output: Math.round(usage.completion_tokens ?? 0) }
          : null,
        cost: usage ? usageOf(prices, to.model, reply).usd : null,
      };
    },
  };
}
