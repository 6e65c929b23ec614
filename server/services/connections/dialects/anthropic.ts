import { z } from "zod";
import type { ModelDialect } from "./dialect";

/** Anthropic requires a limit. The library lowers it to a known model's own, and would choose 4,096 for one that it does not know. */
const MAX_TOKENS = 32_000;
/** The least that a model may be given to think with. */
const THINKING_TOKENS_MIN = 1_024;
/** Of an answer's limit, so that something is left for the answer. */
const THINKING_SHARE = 0.75;
const MODELS_MAX = 1_000;

const HEADERS = { "anthropic-version": "2023-06-01" };

const models = z.object({ data: z.array(z.object({ id: z.string(), created_at: z.string().nullish() })) });

const secondsOf = (time: string | null | undefined) => Math.floor((Date.parse(time ?? "") || 0) / 1000);

/** Anthropic's Messages API. */
export const anthropic: ModelDialect = {
  label: "Anthropic",
  headers: HEADERS,
  sign: (secret) => ({ headers: { "x-api-key": secret } }),
  modelName: /./,
  async listModels(service) {
    const query = { limit: String(MODELS_MAX) };
    const { data } = await service.json({ path: "/models", query, headers: HEADERS }, models);
    return data.map(({ id, created_at }) => ({
      id,
      object: "model",
      created: secondsOf(created_at),
      owned_by: "anthropic",
    }));
  },
  async language(model, reached) {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return createAnthropic({ ...reached, apiKey: "-" })(model);
  },
  embedding: null,
  loadsImages: true,
  drops: new Set(),
  cached: ({ type, ttl }) => ({ anthropic: { cacheControl: { type, ...(ttl && { ttl }) } } }),
  completed: ({ runsToolsInParallel, maxOutputTokens = MAX_TOKENS, ...options }) => ({
    ...options,
    maxOutputTokens,
    ...(runsToolsInParallel === false && { providerOptions: { anthropic: { disableParallelToolUse: true } } }),
  }),
  needsThoughts: true,
  // The library adds thoughts to the limit, which for callers and budgets is one of both.
  amend(body, { maxOutputTokens: limit = MAX_TOKENS }) {
    const thinking = body.thinking as { type?: string; budget_tokens?: number } | undefined;
    if (thinking?.type !== "enabled") return;
    const budget = Math.min(thinking.budget_tokens ?? limit, Math.floor(limit * THINKING_SHARE));
    body.max_tokens = limit;
    if (budget < THINKING_TOKENS_MIN) delete body.thinking;
    else body.thinking = { ...thinking, budget_tokens: budget };
  },
  refusedAs: null,
  counted: new Set([
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
    "output_tokens_details",
    "iterations",
  ]),
  answeredBy: null,
};
