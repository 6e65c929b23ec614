import { createHash } from "node:crypto";
import type { Ctx } from "@/server/platform/context";
import { canonicalJson } from "@/server/platform/json/canonical-json";
import { type ConnectionClient, modelConnections } from "@/server/services/connections";
import {
  type Budget,
  complete,
  dailyLimitsOf,
  openEndpoint,
  tokensOfText,
  usageOf,
} from "@/server/services/diagnostics/adjudicator";
import { currentPriceBook, type PriceBook } from "@/server/services/pricing";
import { answerText } from "../evaluations/verdict/answer-text";
import { baseModelClient, deploymentClient } from "./ask-deployment";
import type { Endpoint } from "./endpoints";
import { type ChatRequest, fieldsOf } from "./overlay";
import type { VariantParameters } from "./schemas";

/** The most tokens of an answer, where a variant sets no other limit: longer than nearly all answers of an assistant. */
const ANSWER_TOKENS = 4_096;
/** Of an answer whose length nobody knows. */
const USUAL_TOKENS = 300;

/** A model behind a connection, a deployment or a base model, with what it is sent besides the messages. */
export type ChatModel = Endpoint & { parameters: VariantParameters };

export type ChatAnswer = {
  /** The text or, if it calls tools, the calls as `answerText` writes them. */
  content: string;
  finishReason: "stop" | "length";
  tokens: { input: number; output: number } | null;
  /** US dollars; `null` for a model without a price. */
  cost: number | null;
};

/** Asks connected models and deployments for answers to whole conversations. */
export type Chat = {
  /** SHA-256 over what is sent and where to: equal questions have one. */
  keyOf: (to: ChatModel, request: ChatRequest) => string;
  /** What an answer as long as `like` probably costs, in US dollars; `null` for a model without a price. */
  usualOf: (to: ChatModel, request: ChatRequest, like: string | null) => number | null;
  /** Asks within `budget` and, a connection, its daily limits. Throws `NoAnswer`. */
  ask: (
    to: ChatModel,
    request: ChatRequest,
    budget?: Budget,
  ) => Promise<ChatAnswer & { calls: ToolCall[]; text: string }>;
};
/** A tool call of an answer, with its arguments as sent. */
export type ToolCall = { id: string; name: string; arguments: string };

const sentOf = ({ model, parameters }: ChatModel, { messages, tools }: ChatRequest) => ({
  model,
  messages,
  ...(tools && tools.length > 0 && { tools }),
  ...fieldsOf(parameters),
});
/** Of a connection that was made since its settings were read. */
const NO_LIMITS = { calls: null, tokens: null, usd: null };
const idOf = ({ connectionId, deploymentId, baseModel }: ChatModel) =>
  connectionId ?? deploymentId ?? canonicalJson(baseModel);
const outputOf = ({ parameters }: ChatModel) => parameters.maxTokens ?? ANSWER_TOKENS;

/** A trainer's own model costs nothing, whatever others charge under its name. */
const withoutPrice = ({ reserve }: Budget): Budget => ({
  async reserve(most) {
    const settle = await reserve({ ...most, usd: null });
    return (used) => settle(used && { ...used, usd: null });
  },
});

/** Prepares for questions of one job; a connection is opened at the first question to it. */
export async function openChat(ctx: Ctx, purpose: string): Promise<Chat> {
  const prices: PriceBook = await currentPriceBook(ctx);
  const settings = new Map((await modelConnections(ctx)).map((one) => [one.id, one.settings]));
  const clients = new Map<string, Promise<ConnectionClient>>();
  const clientOf = ({ connectionId, deploymentId, baseModel }: ChatModel) => {
    if (baseModel !== null) return baseModelClient(ctx, baseModel);
    if (connectionId === null) return deploymentClient(ctx, deploymentId ?? "");
    const client = clients.get(connectionId) ?? openEndpoint(ctx, connectionId, purpose);
    clients.set(connectionId, client);
    return client;
  };
  const limitsOf = ({ connectionId }: ChatModel) => {
    if (connectionId === null) return null;
    const known = settings.get(connectionId);
    return known ? dailyLimitsOf(known) : NO_LIMITS;
  };
  const usdOf = ({ baseModel, model }: ChatModel, said: Parameters<typeof usageOf>[2]) =>
    baseModel === null ? usageOf(prices, model, said).usd : null;
  return {
    keyOf: (to, request) =>
      createHash("sha256")
        .update(canonicalJson([idOf(to), outputOf(to), sentOf(to, request), request.recorded ?? null]))
        .digest("hex"),
    usualOf: (to, request, like) => {
      const usage = {
        prompt_tokens: tokensOfText(JSON.stringify(sentOf(to, request))),
        completion_tokens: like === null ? USUAL_TOKENS : tokensOfText(like),
      };
      return usdOf(to, { model: null, usage });
    },
    async ask(to, request, budget) {
      const client = await clientOf(to);
      const model = {
        client,
        name: to.model,
        connectionId: idOf(to),
        limits: limitsOf(to),
        purpose,
        ...(budget && { budget: to.baseModel === null ? budget : withoutPrice(budget) }),
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
        cost: usage ? usdOf(to, reply) : null,
      };
    },
  };
}
