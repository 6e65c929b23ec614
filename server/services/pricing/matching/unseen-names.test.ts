import { describe, expect, test } from "vitest";
import { bookWith, projectPrice } from "../testing";

const book = bookWith();
const idOf = (model: string, provider: string | null = null) => book.resolve(model, provider)?.definition.id ?? null;

describe("a fine-tune has the catalogue's fine-tune price, never its base's price", () => {
  test.each([
    ["ft:gpt-4o-2024-08-06:acme:support:B7xQ", "openai:ft:gpt-4o"],
    ["ft:gpt-4o-2024-08-06:acme::x:ckpt-step-90", "openai:ft:gpt-4o"],
    ["FT:GPT-4O-2024-08-06:ACME::X", "openai:ft:gpt-4o"],
    ["openai/ft:gpt-4o-2024-08-06:acme::x", "openai:ft:gpt-4o"],
    ["ft:gpt-4o-mini-2024-07-18:acme::9", "openai:ft:gpt-4o-mini"],
    ["ft:gpt-3.5-turbo-0125:acme::1", "openai:ft:gpt-3.5-turbo"],
    ["ft:gpt-4o-2024-08-06", "openai:ft:gpt-4o"],
    ["ft:gpt-4o-mini-2024-07-18", "openai:ft:gpt-4o-mini"],
    ["ft:gpt-3.5-turbo-0613", "openai:ft:gpt-3.5-turbo"],
    ["ft:gpt-4.1-2025-04-14:acme::x", "openai:ft:gpt-4.1"],
    ["ft:gpt-4.1-mini-2025-04-14:acme:suffix:x", "openai:ft:gpt-4.1-mini"],
    ["ft:gpt-4.1-nano", "openai:ft:gpt-4.1-nano"],
  ])("%s", (name, id) => expect(idOf(name)).toBe(id));

  test.each([
    "ft:gpt-4.1-turbo:acme::x",
    "ft:gpt-5.4-mini:acme::x",
    "ft:gpt-4-0613:acme::x",
    "ft:gpt-4o-audio-preview:acme::x",
    "ft:gpt-4o-nano:acme::x",
    "ft:gpt-4o-2024",
    "ft:gpt-4o-2024-08-06-custom",
    "ft:gpt-3.5-turbo-16k:acme::x",
    "ft:o4-mini-2025-04-16:acme::q",
    "ft:davinci-002:acme::x",
    "ft:claude-3-haiku:acme::x",
    "ft:mistral-small:acme::1",
    "gpt-4o-2024-08-06:ft-acme-2024-10",
    "gpt-4o-2024-08-06.ft-a1b2",
    "curie:ft-acme-2023-03-03",
  ])("%s is not known", (name) => {
    expect(idOf(name)).toBeNull();
    expect(idOf(name, "openai")).toBeNull();
    expect(idOf(name, "azure")).toBeNull();
  });

  test("is priced by a project's definition with exactly that name", () => {
    const own = bookWith(projectPrice({ modelName: "ft:gpt-4.1-2025-04-14:acme::x" }));
    expect(own.resolve("ft:gpt-4.1-2025-04-14:acme::x", "openai")?.definition.source).toBe("project_custom");
  });
});

describe("an unlisted sibling is not the model whose name it begins with", () => {
  test.each([
    ...["gpt-5.4-micro", "gpt-5.4-ultra", "gpt-5-large", "gpt-4o-nano", "gpt-4o-max", "gpt-4o-v2", "o4", "o5-mini"],
    ...["claude-opus-4-10", "claude-haiku-4-6", "claude-sonnet-4-5-fast", "claude-sonnet-4.50", "claude-sonnet-44"],
    ...[
      "us.anthropic.claude-opus-4-10-20261010-v1:0",
      "vertex_ai/gemini-2.5-flash-maxi",
      "openrouter/openai/gpt-5.4-pico",
    ],
    ...["gemini-2.5-prototype", "gemini-2.5-pro-ultra", "gemini-2.5-pro-v2", "gemini-2.5-flash-8b", "gemini-3.9-flash"],
    ...["grok-4-heavy", "grok-44", "grok-3-mini-ultra", "grok-4-v2", "mistral-large-3-2", "mistral-medium-2608"],
    ...["deepseek-chat-v9", "deepseek-v3.2-lite", "command-r-ultra", "kimi-k2-nano", "kimi-k9", "kimi-k2-v3"],
    ...[
      "glm-4.6-mini",
      "minimax-m2-mini",
      "text-embedding-3-medium",
      "text-embedding-3-large-v2",
      "gpt-5.4-2026-13-45",
    ],
    ...["mistral-medium-3.2", "mistral-medium-3.10", "grok-4.10-fast", "grok-4-10-fast", "grok-4.1", "kimi-k2.55-0127"],
    ...["openai/gpt-5.4:free", "openai/gpt-5.4:batch", "x-ai/grok-4.1-fast:free", "openai-chat:gpt-99"],
    ...["missing/gpt-5.4", "ollama/gpt-4o", "ollama/openai/gpt-4o", "groq/gpt-4o", "groq/openai/gpt-oss-20b"],
    ...[
      "together_ai/mistralai/mixtral-8x7b",
      "together_ai/deepseek-ai/deepseek-r1",
      "deepinfra/anthropic/claude-opus-4",
    ],
    ...["together_ai/missing/gpt-4o", "fireworks_ai/x-ai/grok-2", "together_ai/openai/gpt-4o:free"],
  ])("%s", (name) => expect(idOf(name)).toBeNull());
});

test.each([
  ["gpt-5.4-2026-11-01", "openai:gpt-5.4"],
  ["gpt-4.1-20261101", "openai:gpt-4.1"],
  ["deepseek/deepseek-v3.2-20251201", "deepseek:deepseek-v3.2"],
  ["deepseek-v4-flash-0731", "deepseek:deepseek-v4-flash"],
  ["z-ai/glm-5.1-20261101", "zai:GLM-5.1"],
  ["claude-opus-4-5-20261111", "anthropic:claude-opus-4-5"],
  ["claude-sonnet-4-20250514-v1", "anthropic:claude-sonnet-4"],
  ["eu.anthropic.claude-haiku-4-5-20260909-v3:0", "anthropic:claude-haiku-4-5"],
  ["bedrock/ap-south-1/anthropic.claude-instant-v1", "anthropic:claude-instant-1"],
  ["openrouter/x-ai/grok-4-latest", "xai:grok-4-0709"],
  ["gemini-2.5-pro-002", "google:gemini-2.5-pro"],
  ["openrouter/moonshotai/kimi-k2.5-0127", "moonshotai:kimi-k2.5"],
  ["openrouter/x-ai/grok-4-07-09", "xai:grok-4-0709"],
  ["models/gemini-2.5-flash-001", "google:gemini-2.5-flash"],
])("%s is an unlisted release of %s", (name, id) => expect(idOf(name)).toBe(id));

test.each([
  ["x-ai/grok-4.1-fast", "xai:grok-4-1-fast-reasoning"],
  ["grok-4.1-fast-non-reasoning", "xai:grok-4-1-fast-non-reasoning"],
  ["mistralai/mistral-medium-3.1", "mistral:mistral-medium-3-1"],
  ["claude-4.6-opus-20260205", "anthropic:claude-opus-4-6"],
  ["gpt-5-4-mini", "openai:gpt-5.4-mini"],
  ["grok-4-3", "xai:grok-4.3"],
])("%s is another spelling of %s", (name, id) => expect(idOf(name)).toBe(id));

test.each([
  ["together_ai/openai/gpt-4o", "openai:gpt-4o"],
  ["together_ai/openai/gpt-4o-2024-08-06", "openai:gpt-4o"],
  ["groq/openai/gpt-5.4-mini", "openai:gpt-5.4-mini"],
  ["replicate/anthropic/claude-4.5-sonnet", "anthropic:claude-sonnet-4-5"],
  ["perplexity/google/gemini-2.5-pro", "google:gemini-2.5-pro"],
  ["huggingface/xai/grok-4", "xai:grok-4-0709"],
  ["litellm_proxy/together_ai/openai/gpt-4o", "openai:gpt-4o"],
  ["openrouter/azure/openai/gpt-4o", "openai:gpt-4o"],
  ["vercel_ai_gateway/vertex_ai/claude-opus-4@20250514", "anthropic:claude-opus-4"],
])("%s is passed on by its host and priced as %s", (name, id) => {
  expect(idOf(name)).toBe(id);
  expect(idOf(name.slice(name.indexOf("/") + 1), name.slice(0, name.indexOf("/")))).toBe(id);
});
