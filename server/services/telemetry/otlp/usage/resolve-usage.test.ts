import { describe, expect, test } from "vitest";
import { spanOf } from "../testing/conversations";
import type { SentAttributes } from "../testing/encode-otlp";
import { resolveUsage } from "./resolve-usage";

const read = (attributes: SentAttributes, provider: string | null = null) =>
  resolveUsage(spanOf(attributes).attributes, provider);

const prefixed = (prefix: string, figures: Record<string, number>) =>
  Object.fromEntries(Object.entries(figures).map(([name, count]) => [`${prefix}${name}`, count]));

describe("buckets are disjoint, whatever each client includes in its figures", () => {
  test.each<[client: string, attributes: SentAttributes, usage: object, rule: string]>([
    [
      "OpenTelemetry GenAI: cache in input, reasoning in output",
      prefixed("gen_ai.usage.", {
        input_tokens: 100,
        output_tokens: 50,
        "cache_read.input_tokens": 60,
        "cache_write.input_tokens": 10,
        "reasoning.output_tokens": 20,
      }),
      {
        input_tokens: 30,
        output_tokens: 30,
        cache_read_input_tokens: 60,
        cache_creation_input_tokens: 10,
        reasoning_output_tokens: 20,
      },
      "convention of gen_ai.usage",
    ],
    [
      "OpenLLMetry: one cache figure under two spellings is subtracted once",
      prefixed("gen_ai.usage.", {
        prompt_tokens: 100,
        completion_tokens: 5,
        "cache_read.input_tokens": 20,
        cache_read_input_tokens: 20,
      }),
      { input_tokens: 80, output_tokens: 5, cache_read_input_tokens: 20 },
      "convention of gen_ai.usage",
    ],
    [
      "OpenInference, with audio",
      prefixed("llm.token_count.", {
        prompt: 100,
        completion: 40,
        "prompt_details.cache_read": 30,
        "prompt_details.audio": 20,
        "completion_details.audio": 8,
      }),
      {
        input_tokens: 50,
        output_tokens: 32,
        cache_read_input_tokens: 30,
        input_audio_tokens: 20,
        output_audio_tokens: 8,
      },
      "convention of llm.token_count",
    ],
    [
      "AI SDK 4",
      { "ai.usage.promptTokens": 10, "ai.usage.completionTokens": 4 },
      { input_tokens: 10, output_tokens: 4 },
      "convention of ai.usage",
    ],
    [
      "AI SDK 6 tells what no cache gave",
      prefixed("ai.usage.", {
        inputTokens: 100,
        "inputTokenDetails.noCacheTokens": 3,
        "inputTokenDetails.cacheReadTokens": 90,
        "inputTokenDetails.cacheWriteTokens": 7,
        outputTokens: 5,
      }),
      { input_tokens: 3, output_tokens: 5, cache_read_input_tokens: 90, cache_creation_input_tokens: 7 },
      "uncached input given",
    ],
    [
      "Claude Code: cache beside input",
      { input_tokens: 3, output_tokens: 13, cache_read_tokens: 2, cache_creation_tokens: 1 },
      { input_tokens: 3, output_tokens: 13, cache_read_input_tokens: 2, cache_creation_input_tokens: 1 },
      "convention of claude-code",
    ],
    [
      "an OpenAI usage object",
      {
        "langfuse.observation.usage_details": JSON.stringify({
          prompt_tokens: 103,
          completion_tokens: 33,
          total_tokens: 136,
          prompt_tokens_details: { cached_tokens: 64 },
          completion_tokens_details: { reasoning_tokens: 7 },
        }),
      },
      { input_tokens: 39, output_tokens: 26, cache_read_input_tokens: 64, reasoning_output_tokens: 7 },
      "total adds up",
    ],
    [
      "the same attribute with disjoint parts, as the total shows",
      {
        "langfuse.observation.usage_details": JSON.stringify({
          input: 39,
          output: 33,
          total: 136,
          input_cache_read: 64,
        }),
      },
      { input_tokens: 39, output_tokens: 33, cache_read_input_tokens: 64 },
      "total adds up",
    ],
    [
      "an Anthropic usage object: cache beside input, one hour apart",
      {
        "gen_ai.usage.raw": JSON.stringify({
          input_tokens: 50,
          output_tokens: 9,
          cache_read_input_tokens: 20,
          cache_creation_input_tokens: 30,
          cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
        }),
      },
      {
        input_tokens: 50,
        output_tokens: 9,
        cache_read_input_tokens: 20,
        cache_creation_input_tokens: 10,
        cache_creation_1h_input_tokens: 20,
      },
      "convention of anthropic",
    ],
    [
      "Gemini: thoughts beside candidates",
      {
        "gcp.vertex.agent.llm_response": JSON.stringify({
          usage_metadata: {
            prompt_token_count: 100,
            candidates_token_count: 20,
            thoughts_token_count: 30,
            cached_content_token_count: 40,
          },
        }),
      },
      { input_tokens: 60, output_tokens: 20, cache_read_input_tokens: 40, reasoning_output_tokens: 30 },
      "convention of gemini",
    ],
    [
      "LiteLLM: what the flat figures leave out is in Python text",
      {
        "gen_ai.usage.input_tokens": 103,
        "gen_ai.usage.output_tokens": 33,
        "metadata.usage_object":
          "{'prompt_tokens': 103, 'completion_tokens': 33, 'total_tokens': 136, 'prompt_tokens_details': {'audio_tokens': None, 'cached_tokens': 64}}",
      },
      { input_tokens: 39, output_tokens: 33, cache_read_input_tokens: 64 },
      "total adds up",
    ],
    [
      "cache that exceeds input cannot be in it, even if the total adds up so",
      prefixed("gen_ai.usage.", {
        input_tokens: 134,
        output_tokens: 84,
        total_tokens: 218,
        "cache_read.input_tokens": 150,
        "cache_creation.input_tokens": 50,
      }),
      { input_tokens: 134, output_tokens: 84, cache_read_input_tokens: 150, cache_creation_input_tokens: 50 },
      "cache exceeds input",
    ],
    [
      "reasoning beside output, as the total shows (xAI)",
      prefixed("gen_ai.usage.", {
        input_tokens: 10,
        output_tokens: 5,
        total_tokens: 115,
        "reasoning.output_tokens": 100,
      }),
      { input_tokens: 10, output_tokens: 5, reasoning_output_tokens: 100 },
      "total adds up",
    ],
    [
      "numbers as text",
      { "gen_ai.usage.input_tokens": "174", "gen_ai.usage.output_tokens": "31" },
      { input_tokens: 174, output_tokens: 31 },
      "convention of gen_ai.usage",
    ],
  ])("%s", (_client, attributes, usage, rule) => {
    const resolved = read(attributes);
    expect(resolved.usage).toEqual(usage);
    expect(resolved.usageRule).toBe(rule);
    expect(Object.keys(resolved.rawUsage ?? {}).sort()).toEqual(Object.keys(attributes).sort());
  });
});

test("the vendor decides how figures without a convention are read", () => {
  const object = {
    "langfuse.observation.usage_details": JSON.stringify({ input_tokens: 10, output_tokens: 50, reasoning_tokens: 20 }),
  };
  expect(read(object, "xai")).toMatchObject({
    usage: { output_tokens: 50, reasoning_output_tokens: 20 },
    usageRule: "convention of xai",
  });
  expect(read(object, "openai")).toMatchObject({
    usage: { output_tokens: 30, reasoning_output_tokens: 20 },
    usageRule: "assumed inclusive",
  });
});

describe("OpenLIT's figures follow the vendor's convention, whatever its own total is", () => {
  // As sent by OpenLIT 1.45 (its total is the sum of input and output).
  const openlit = (input: number, cache: object, total = input + 32) => ({
    "telemetry.sdk.name": "openlit",
    ...prefixed("gen_ai.usage.", { input_tokens: input, output_tokens: 32, ...cache }),
    "gen_ai.client.token.usage": total,
  });

  test.each<[string, provider: string, SentAttributes, object]>([
    [
      "Anthropic's cache is beside the input",
      "anthropic",
      openlit(52, { "cache_read.input_tokens": 0, "cache_creation.input_tokens": 48 }),
      { input_tokens: 52, cache_creation_input_tokens: 48, output_tokens: 32 },
    ],
    [
      "as Bedrock's is",
      "aws.bedrock",
      openlit(52, { "cache_read.input_tokens": 40 }),
      { input_tokens: 52, cache_read_input_tokens: 40, output_tokens: 32 },
    ],
    [
      "OpenAI's is in it",
      "openai",
      openlit(103, { "cache_read.input_tokens": 64 }),
      { input_tokens: 39, cache_read_input_tokens: 64, output_tokens: 32 },
    ],
  ])("%s", (_, provider, attributes, usage) => {
    expect(read(attributes, provider).usage).toEqual(usage);
    const { "telemetry.sdk.name": _name, ...withoutName } = attributes;
    expect(read(withoutName, provider).usage).toEqual(usage);
    expect(read(attributes, provider).rawUsage).toHaveProperty(["gen_ai.client.token.usage"]);
  });
});

test("usage that the client does not report is unknown, not zero", () => {
  expect(read({ "gen_ai.request.model": "gpt-4o" })).toEqual({ usage: null, rawUsage: null, usageRule: null });
  expect(read({ "gen_ai.usage.input_tokens": 5 }).usage).toEqual({ input_tokens: 5 });
  expect(read({ "llm.usage.total_tokens": 0 }).usage).toBeNull();
});

test("zeros are usage, except of a failed call", () => {
  const zeros = { "gen_ai.usage.input_tokens": 0, "gen_ai.usage.output_tokens": 0 };
  expect(read(zeros)).toMatchObject({ usage: { input_tokens: 0, output_tokens: 0 }, rawUsage: zeros });
  expect(resolveUsage(zeros, null, true)).toEqual({ usage: null, rawUsage: zeros, usageRule: null });
  expect(resolveUsage({ "gen_ai.usage.input_tokens": 7, "gen_ai.usage.output_tokens": 0 }, null, true).usage).toEqual({
    input_tokens: 7,
    output_tokens: 0,
  });
});

test("contradictory figures are clamped and flagged, and never negative", () => {
  const resolved = read(
    prefixed("llm.token_count.", {
      prompt: 10,
      completion: 5,
      "prompt_details.audio": 8,
      "prompt_details.cache_read": 6,
    }),
  );
  expect(resolved.usage).toEqual({
    input_tokens: 0,
    output_tokens: 5,
    cache_read_input_tokens: 6,
    input_audio_tokens: 8,
  });
  expect(resolved.usageRule).toBe("convention of llm.token_count; clamped input_tokens");
  expect(read({ "gen_ai.usage.input_tokens": -5, "gen_ai.usage.output_tokens": 2 }).usage).toEqual({
    output_tokens: 2,
  });
});

const details = (object: object) => ({ "langfuse.observation.usage_details": JSON.stringify(object) });

describe("usage outside the known buckets is kept under its own name", () => {
  const KNOWN = { "gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 1 };
  const bucketsAnd = (more: object) => ({ input_tokens: 10, output_tokens: 1, ...more });

  test.each<[where: string, attributes: SentAttributes, more: object]>([
    ["a usage object", details({ input: 10, output: 1, web_searches: 2 }), { web_searches: 2 }],
    ["a flat name", { ...KNOWN, "gen_ai.usage.web_searches": 2 }, { web_searches: 2 }],
    ["Pydantic AI's details", { ...KNOWN, "gen_ai.usage.details.audio_seconds": 1.5 }, { audio_seconds: 1.5 }],
    [
      "OpenInference's details",
      prefixed("llm.token_count.", { prompt: 10, completion: 1, "prompt_details.web_searches": 2, pages: 3 }),
      { web_searches: 2, pages: 3 },
    ],
    [
      "the AI SDK",
      prefixed("ai.usage.", { inputTokens: 10, outputTokens: 1, "outputTokenDetails.textTokens": 1, webPages: 4 }),
      { webPages: 4 },
    ],
    [
      "Anthropic's server tools",
      {
        "gen_ai.usage.raw": JSON.stringify({
          input_tokens: 10,
          output_tokens: 1,
          server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 },
        }),
      },
      { web_searches: 2, web_fetch_requests: 1 },
    ],
    [
      "Genkit",
      { "genkit:output": JSON.stringify({ usage: { inputTokens: 10, outputTokens: 1, inputCharacters: 42 } }) },
      { inputCharacters: 42 },
    ],
    ["numbers as text", { ...KNOWN, "gen_ai.usage.web_searches": "2" }, { web_searches: 2 }],
  ])("from %s", (_, attributes, more) => {
    const resolved = read(attributes);
    expect(resolved.usage).toEqual(bucketsAnd(more));
    expect(Object.keys(resolved.rawUsage ?? {}).sort()).toEqual(Object.keys(attributes).sort());
  });

  test("even if nothing else is reported", () => {
    expect(read({ "gen_ai.usage.audio_seconds": 12.25 }).usage).toEqual({ audio_seconds: 12.25 });
    expect(read(details({ input: 0, output: 0, web_searches: 1 })).usage).toMatchObject({ web_searches: 1 });
  });

  test("but not totals, other spellings of a bucket, money, durations and values that are not quantities", () => {
    const object = {
      input: 10,
      output: 1,
      total: 11,
      totalTokens: 11,
      input_cached_tokens: 0,
      cost: 0.5,
      input_cost_usd: 0.25,
      cost_details: { upstream_inference_cost: 1 },
      total_time: 0.75,
      negative: -2,
      nothing: 0,
      service_tier: "default",
      iterations: [{ input_tokens: 3 }],
    };
    expect(read(details(object)).usage).toEqual(bucketsAnd({}));
    expect(read({ ...KNOWN, "gen_ai.usage.cost": 0.2, "gen_ai.usage.details.input_tokens": 7 }).usage).toEqual(
      bucketsAnd({}),
    );
  });

  test("with a limit on the number and length of names", () => {
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`unit_${String(n).padStart(4, "0")}`, 1]));
    const { usage, usageRule } = read(details({ input: 10, output: 1, ...many, ["x".repeat(101)]: 1 }));
    expect(Object.keys(usage ?? {})).toHaveLength(2 + 32);
    expect(usage).toMatchObject({ unit_0000: 1, unit_0031: 1 });
    expect(usageRule).toMatch(/; 968 details left out$/);
  });

  test("even if it is named like a property of every object, except __proto__", () => {
    const { usage } = read({
      "langfuse.observation.usage_details":
        '{"input": 10, "output": 1, "__proto__": 3, "constructor": 4, "toString": 5, "a\\u0000b": 6}',
    });
    expect(Object.entries(usage ?? {}).sort()).toEqual(
      Object.entries({ input_tokens: 10, output_tokens: 1, constructor: 4, toString: 5, "a\uFFFDb": 6 }).sort(),
    );
    expect(({} as Record<string, unknown>).input).toBeUndefined();
  });
});

describe("a part of a bucket is counted once", () => {
  test.each<[told: string, attributes: SentAttributes, usage: object]>([
    [
      "under its own name, whichever attribute has it",
      details({ input_tokens: 10, output_tokens: 4, input_audio_tokens: 2, output_image_tokens: 1 }),
      { input_tokens: 8, output_tokens: 3, input_audio_tokens: 2, output_image_tokens: 1 },
    ],
    [
      "by OpenTelemetry's names",
      prefixed("gen_ai.usage.", {
        input_tokens: 10,
        output_tokens: 4,
        "video.input_tokens": 2,
        "audio.output_tokens": 1,
      }),
      { input_tokens: 8, output_tokens: 3, input_video_tokens: 2, output_audio_tokens: 1 },
    ],
    [
      "by Pydantic AI: cached audio is in the audio and in what the cache gave",
      prefixed("gen_ai.usage.", {
        input_tokens: 120,
        output_tokens: 40,
        "details.cache_read_tokens": 30,
        "details.input_audio_tokens": 5,
        "details.cache_audio_read_tokens": 2,
      }),
      {
        input_tokens: 87,
        output_tokens: 40,
        cache_read_input_tokens: 28,
        input_audio_tokens: 3,
        cache_read_input_audio_tokens: 2,
      },
    ],
    [
      "by Gemini, by modality; what its tools read comes on top",
      {
        "gcp.vertex.agent.llm_response": JSON.stringify({
          usage_metadata: {
            prompt_token_count: 100,
            candidates_token_count: 20,
            tool_use_prompt_token_count: 6,
            tool_use_prompt_tokens_details: [{ modality: "TEXT", token_count: 6 }],
            prompt_tokens_details: [
              { modality: "TEXT", token_count: 60 },
              { modality: "AUDIO", token_count: 30 },
              { modality: "DOCUMENT", token_count: 10 },
            ],
            candidates_tokens_details: [{ modality: "TEXT", token_count: 20 }],
            cache_tokens_details: [{ modality: "TEXT", token_count: 0 }],
          },
        }),
      },
      {
        input_tokens: 60,
        output_tokens: 20,
        tool_use_prompt_token_count: 6,
        input_audio_tokens: 30,
        input_image_tokens: 10,
      },
    ],
    [
      "by OpenAI: predictions are in the completion",
      details({
        prompt_tokens: 10,
        completion_tokens: 30,
        completion_tokens_details: { accepted_prediction_tokens: 8, rejected_prediction_tokens: 2, audio_tokens: 0 },
      }),
      { input_tokens: 10, output_tokens: 20, accepted_prediction_tokens: 8, rejected_prediction_tokens: 2 },
    ],
    [
      "by Langfuse's handler for LangChain, which has taken it out",
      details({ input: 8, output: 4, input_audio: 2 }),
      { input_tokens: 8, output_tokens: 4, input_audio_tokens: 2 },
    ],
    [
      "beside its bucket, as the total shows",
      details({ input_tokens: 8, output_tokens: 4, input_audio_tokens: 2, total_tokens: 14 }),
      { input_tokens: 8, output_tokens: 4, input_audio_tokens: 2 },
    ],
    [
      "beside its bucket, in which it has no room",
      details({ input_tokens: 8, output_tokens: 4, input_audio_tokens: 9 }),
      { input_tokens: 8, output_tokens: 4, input_audio_tokens: 9 },
    ],
    [
      "text apart from what is neither",
      prefixed("gen_ai.usage.", { input_tokens: 10, "text.input_tokens": 3, "audio.input_tokens": 2 }),
      { input_tokens: 5, input_text_tokens: 3, input_audio_tokens: 2 },
    ],
  ])("reported %s", (_, attributes, usage) => expect(read(attributes).usage).toEqual(usage));
});
