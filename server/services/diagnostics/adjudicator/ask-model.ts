import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { Ctx } from "@/server/platform/context";
import { OutboundError, retryTransient } from "@/server/platform/outbound";
import type { ConnectionClient } from "@/server/services/connections";
import { currentPriceBook, type PriceBook, priceCall } from "@/server/services/pricing";
import { type CallUsage, type DailyLimits, reserveCall, settleCall } from "./budget";
import type { Tokens } from "./cached-answers";
import type { Prompt } from "./prompt";

/** Generous because local models are slow. */
const ATTEMPT_MS = 60_000;
/** Total for a question, including all attempts and the waits between them. */
const QUESTION_MS = 150_000;
const RETRY_BASE_MS = 1_000;
/** Enough for an answer after some reasoning. */
export const OUTPUT_TOKENS = 2_000;
/** A lower bound: no tokenizer produces more tokens from ordinary text. Settling a call releases what it did not use. */
const BYTES_PER_TOKEN = 2;
const REPLY_BYTES = 1024 * 1024;

/** Thrown when a question gets no answer, so that the deterministic verdict applies. The message is shown to people. */
export class NoAnswer extends Error {
  override name = "NoAnswer";
  /** `endpoint`: the endpoint does not work at the moment, so further questions would only waste time. */
  constructor(
    message: string,
    readonly of: "question" | "endpoint" = "question",
    /** Whether the same may be answered later, when the endpoint can be reached again or another day has begun. */
    readonly isForNow = false,
  ) {
    super(message);
  }
}

/** The question is longer than the model's context. */
export class TooLong extends NoAnswer {
  constructor() {
    super("even a short excerpt of the conversation exceeds the model's context");
  }
}

const completion = z.object({
  model: z.string().nullish(),
  choices: z
    .array(
      z.object({
        message: z.object({
          content: z.string().nullish(),
          /** What the model says instead of an answer that it will not give. */
          refusal: z.string().nullish().catch(null),
          reasoning: z.string().nullish().catch(null),
          reasoning_content: z.string().nullish().catch(null),
          tool_calls: z
            .array(
              z.object({ id: z.string().nullish(), function: z.object({ name: z.string(), arguments: z.string() }) }),
            )
            .nullish()
            .catch(null),
        }),
        finish_reason: z.string().nullish().catch(null),
      }),
    )
    .min(1),
  usage: z
    .object({
      prompt_tokens: z.number().nonnegative(),
      completion_tokens: z.number().nonnegative().nullish(),
      prompt_tokens_details: z.object({ cached_tokens: z.number().nonnegative().nullish() }).nullish(),
    })
    .nullish()
    .catch(null),
});
export type Completion = z.infer<typeof completion>;

/** Optional features that an endpoint has refused so far; each is requested until then. */
export type Refused = { schema: boolean; json: boolean; maxTokens: boolean; temperature: boolean };
const REFUSALS_KEPT = 500;
const refusals = new LRUCache<string, Refused>({ max: REFUSALS_KEPT });
const NOTHING_REFUSED: Refused = { schema: false, json: false, maxTokens: false, temperature: false };

/** Request fields that some endpoints refuse, in the order in which they are tried, with what to leave out or replace. */
const OPTIONAL: readonly { named: RegExp; refuse: (before: Refused) => Partial<Refused> | null }[] = [
  { named: /max_tokens|max_completion_tokens/, refuse: ({ maxTokens }) => (maxTokens ? null : { maxTokens: true }) },
  { named: /temperature/, refuse: ({ temperature }) => (temperature ? null : { temperature: true }) },
  {
    named: /response_format|json_schema|json_object|schema|grammar/,
    refuse: ({ schema, json }) => (schema ? (json ? null : { json: true }) : { schema: true }),
  },
];

/** The wording of OpenAI, llama.cpp, vLLM and gateways. Tested first because some of these messages also name `max_tokens`. */
const TOO_LONG =
  /context_length_exceeded|exceed_context_size|(?:maximum|available|model'?s) context (?:length|size|window)|exceeds? the (?:context|maximum model) (?:length|size|window)|prompt is too long/i;

/** A budget besides the connection's daily limits. */
export type Budget = {
  /**
   * Holds back the most that a call may use, or throws. Returns what is told once, at its end, what it used: `null` if nobody
   * knows, and what was held back stays spent.
   */
  reserve: (most: CallUsage) => Promise<(used: CallUsage | null) => Promise<void>>;
};

/** `purpose`: what the model is used for, as one of our own identifiers. */
export type Model = {
  client: Pick<ConnectionClient, "request">;
  name: string;
  /** Of a connection, or of whatever else `client` sends to. */
  connectionId: string;
  /** `null`: calls are neither limited nor counted. */
  limits: DailyLimits | null;
  purpose: string;
  budget?: Budget;
};

/** `isCutOff`: the reply reached the maximum length. `tokens`: usage of the call, if the endpoint reports it. */
export type ModelReply = { text: string; isCutOff: boolean; tokens: Tokens | null };

/** Asks a model once, within the project's budget. Throws `NoAnswer`, or any other error for a fault of ours. */
export const askModel = async (ctx: Ctx, model: Model, prompt: Prompt): Promise<ModelReply> =>
  replyOf(
    await complete(ctx, model, {
      bodyOf: (refused) => bodyOf(model.name, prompt, refused),
      outputTokens: OUTPUT_TOKENS,
    }),
  );

/** A request without what the endpoint has refused so far; `outputTokens` is the most that it lets the model write. */
export type CompletionRequest = { bodyOf: (refused: Refused) => object; outputTokens: number };

/**
 * Requests one chat completion within the connection's daily limits, repeating transient failures and leaving out what the
 * endpoint refuses. Throws `NoAnswer`, or any other error for a fault of ours.
 */
export async function complete(
  ctx: Ctx,
  model: Model,
  { bodyOf, outputTokens }: CompletionRequest,
): Promise<Completion> {
  const key = `${model.connectionId} ${model.name}`;
  const signal = AbortSignal.timeout(QUESTION_MS);
  const deadline = Date.now() + QUESTION_MS;
  const prices = await currentPriceBook(ctx);
  let sent = "";
  // An endpoint may refuse each optional field once.
  for (let tries = 0; tries <= OPTIONAL.length + 1; tries++) {
    const refused = refusals.get(key) ?? NOTHING_REFUSED;
    const body = JSON.stringify(bodyOf(refused));
    if (body === sent) break;
    sent = body;
    const attempt = () => send(ctx, model, prices, { body, outputTokens, signal });
    const { status, text } = await retryTransient(attempt, { deadline, signal }, RETRY_BASE_MS).catch(asNoAnswer);
    if (status < 300) {
      const { data } = completion.safeParse(jsonOf(text));
      if (!data) throw notACompletion();
      return data;
    }
    if (TOO_LONG.test(text) && status >= 400) throw new TooLong();
    const more = nextRefusal(text, refused);
    if (more === null || (status !== 400 && status !== 422)) throw refusal(status, model.name);
    refusals.set(key, { ...refused, ...more });
  }
  throw refusal(400, model.name);
}

function nextRefusal(text: string, refused: Refused): Partial<Refused> | null {
  for (const { named, refuse } of OPTIONAL) {
    const more = named.test(text) ? refuse(refused) : null;
    if (more) return more;
  }
  // Some servers do not say what they refuse, so the least widely supported field is dropped first.
  return refused.schema ? null : { schema: true };
}

/** Returns an estimate of the tokens in a text: four bytes each, as in ordinary text. */
export const tokensOfText = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4);

/** Returns an estimate of the tokens in a question. */
export const roughTokens = (name: string, prompt: Prompt): number =>
  tokensOfText(JSON.stringify(bodyOf(name, prompt, NOTHING_REFUSED)));

const bodyOf = (name: string, { system, user, schema }: Prompt, refused: Refused) => ({
  model: name,
  messages: [
    { role: "system", content: system },
    { role: "user", content: user },
  ],
  ...(refused.maxTokens ? { max_completion_tokens: OUTPUT_TOKENS } : { max_tokens: OUTPUT_TOKENS }),
  ...(!refused.temperature && { temperature: 0 }),
  ...(!refused.json && {
    response_format: refused.schema
      ? { type: "json_object" }
      : { type: "json_schema", json_schema: { name: "answer", strict: true, schema } },
  }),
});

const NOTHING: CallUsage = { tokens: 0, usd: 0 };

/** Returns the most that a request may use: every token counted as new, and as much written as is allowed. */
function mostUsed(prices: PriceBook, model: string, body: string, outputTokens: number): CallUsage {
  const inputTokens = Math.ceil(Buffer.byteLength(body) / BYTES_PER_TOKEN);
  const usage = { prompt_tokens: inputTokens, completion_tokens: outputTokens };
  return usageOf(prices, model, { model: null, usage });
}

/** Sends one request: reserves the most that it may use, then settles what it actually used. */
async function send(
  ctx: Ctx,
  model: Model,
  prices: PriceBook,
  { body, outputTokens, signal }: { body: string; outputTokens: number; signal: AbortSignal },
) {
  const { client, connectionId, limits, name, purpose, budget } = model;
  const expected = mostUsed(prices, name, body, outputTokens);
  if (limits !== null && limits.usd !== null && expected.usd === null)
    throw new NoAnswer(
      `the price of the model ${name} is unknown, so the daily limit in US dollars can't be enforced`,
      "endpoint",
    );
  const settleBudget = await budget?.reserve(expected);
  const reservation = limits && (await reserveCall(ctx, connectionId, limits, expected));
  if (limits !== null && reservation === null) {
    await settleBudget?.(NOTHING);
    throw new NoAnswer("the adjudicator's daily budget is used up", "endpoint", true);
  }

  const settle = async (used: CallUsage | null) => {
    if (used !== null && reservation !== null) await settleCall(ctx, reservation, used);
    await settleBudget?.(used);
  };
  const reply = await client
    .request({
      path: "/chat/completions",
      method: "POST",
      json: JSON.parse(body),
      headers: { "x-whetstone-purpose": purpose },
      signal,
      timeoutMs: ATTEMPT_MS,
      maxBytes: REPLY_BYTES,
      accepts: (status) => status < 500 && status !== 408 && status !== 425 && status !== 429,
    })
    .catch(async (error: unknown) => {
      // A call that timed out may have been answered and charged; any other was not.
      await settle(error instanceof OutboundError && error.reason === "timeout" ? null : NOTHING);
      throw error;
    });
  const text = reply.body.toString("utf8");
  if (reply.status >= 300) {
    await settle(NOTHING);
    return { status: reply.status, text };
  }
  const { data } = completion.safeParse(jsonOf(text));
  await settle(data?.usage ? usageOf(prices, name, data) : null);
  return { status: reply.status, text };
}

/** Returns the tokens of a completion and what they cost; a usage that the endpoint does not report is nothing. */
export function usageOf(
  prices: PriceBook,
  requestedModel: string,
  { model, usage }: Pick<Completion, "model" | "usage">,
): CallUsage {
  const input = usage?.prompt_tokens ?? 0;
  const output = Math.round(usage?.completion_tokens ?? 0);
  const cached = Math.min(input, usage?.prompt_tokens_details?.cached_tokens ?? 0);
  const { cost } = priceCall(prices, {
    requestedModel,
    responseModel: model ?? null,
    provider: null,
    usage: { input_tokens: input - cached, cache_read_input_tokens: cached, output_tokens: output },
  });
  return { tokens: Math.round(input) + output, usd: cost?.total ?? null };
}

function replyOf(data: Completion): ModelReply {
  const choice = data.choices[0];
  if (!choice) throw notACompletion();
  const { content, refusal: refused, reasoning, reasoning_content } = choice.message;
  if (!content && refused) throw new NoAnswer("the model refused to answer");
  if (!content && choice.finish_reason === "content_filter")
    throw new NoAnswer("the endpoint's content filter withheld the answer");
  const isCutOff = choice.finish_reason === "length";
  const thought = reasoning ?? reasoning_content ?? null;
  if (content == null && thought === null && !isCutOff) throw notACompletion();
  const tokens = data.usage
    ? { input: Math.round(data.usage.prompt_tokens), output: Math.round(data.usage.completion_tokens ?? 0) }
    : null;
  // Servers that separate reasoning mistake a plain answer for reasoning when the model does not mark where reasoning ends.
  const isMistaken = !content && !isCutOff && thought?.trimStart().startsWith("{") === true;
  return { text: isMistaken ? (thought ?? "") : (content ?? ""), isCutOff, tokens };
}

const notACompletion = () => new NoAnswer("the endpoint's reply is not a chat completion", "endpoint");

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusal(status: number, model: string): NoAnswer {
  if (status === 401 || status === 403) return new NoAnswer(`the endpoint refused the key (${status})`, "endpoint");
  if (status === 404)
    return new NoAnswer(`the endpoint does not know the model ${model}, or has no chat completions (404)`, "endpoint");
  return new NoAnswer(`the endpoint refused the question with the status ${status}`);
}

function asNoAnswer(error: unknown): never {
  if (error instanceof OutboundError) throw new NoAnswer(withoutStop(error.message), "endpoint", error.transient);
  if (error instanceof DOMException && error.name === "TimeoutError")
    throw new NoAnswer("the endpoint did not reply in time", "endpoint", true);
  throw error;
}

const withoutStop = (text: string) => text.replace(/\.$/, "");
