import { describe, expect, test } from "vitest";
import { isClosedModel, priceListOf, priceListOfProvider, priceListOfWord } from "./providers";

describe("the price list of a provider", () => {
  test.each([
    ["OpenAI", "openai"],
    ["openai.responses", "openai"],
    ["anthropic.messages", "anthropic"],
    ["google.generative-ai", "google"],
    ["google-gla", "google"],
    ["gcp.gemini", "google"],
    ["mistral_ai", "mistral"],
    ["cohere_chat", "cohere"],
    ["x_ai", "xai"],
    ["z.ai", "zai"],
    ["MoonshotAI", "moonshotai"],
    ["Open AI", "openai"],
    ["GoogleGenAI", "google"],
    ["claude", "anthropic"],
    ["GoogleGenerativeAI", "google"],
    ["ChatGoogleGenerativeAI", "google"],
    ["ChatOpenAI", "openai"],
  ] as const)("%s is a vendor's: %s", (provider, vendor) => expect(priceListOf(provider)).toBe(vendor));

  test.each([
    "azure",
    "azure.ai.openai",
    "aws.bedrock",
    "amazon_bedrock",
    "gcp.vertex_ai",
    "gcp.vertex.agent",
    "google-vertex-search",
    "vertex_ai-anthropic_models",
    "openrouter",
    "litellm",
    "openai-compatible",
    "google_anthropic_vertex",
    "cloudflare-ai-gateway",
    "az.ai.inference",
    "az.ai.openai",
    "AzureOpenAI",
    "AmazonBedrock",
    "AzureChatOpenAI",
    "AnthropicVertex",
    "ChatAnthropicVertex",
  ])("%s resells at list prices", (provider) => expect(priceListOf(provider)).toBe("any"));

  test.each(["groq", "together_ai", "fireworks-ai", "perplexity", "ovhcloud", "cloudflare", "ChatGroq"])(
    "%s sets its own prices for open weights",
    (provider) => expect(priceListOf(provider)).toBe("weights"),
  );
  test.each(["ollama", "hosted_vllm", "lm_studio", "deepinfra", "databricks"])(
    "%s sets its own prices for everything it serves",
    (provider) => expect(priceListOf(provider)).toBe("own"),
  );
  test.each(["", "acme", "strands-agents", "deepgram", `openai${"-x".repeat(100)}`])("%s is unknown", (provider) =>
    expect(priceListOf(provider)).toBeNull(),
  );

  test.each(["external", "acme", "no such provider", "_OTHER", "my-azure", "x".repeat(1_000)])(
    "is external for calls of %s",
    (provider) => expect(priceListOfProvider(provider)).toBe("external"),
  );
  test.each([null, "", "  ", "strands-agents", "LangChain", "pydantic-ai", "crewai.agent", "openrouter"])(
    "may be any vendor's for calls of %s",
    (provider) => expect(priceListOfProvider(provider)).toBe("any"),
  );

  test("of a word requires an exact match", () => {
    expect(priceListOfWord("mistral")).toBe("mistral");
    expect(priceListOfWord("mistral-7b")).toBeNull();
  });
});

test("only models whose weights no other host has are closed", () => {
  const closed = (provider: "openai" | "anthropic" | "google" | "xai" | "mistral", modelName: string) =>
    isClosedModel({ provider, modelName });
  expect(closed("openai", "gpt-4o")).toBe(true);
  expect(closed("anthropic", "claude-opus-5")).toBe(true);
  expect(closed("google", "gemini-2.5-pro")).toBe(true);
  expect(closed("xai", "grok-4-0709")).toBe(true);
  expect(closed("openai", "gpt-oss-20b")).toBe(false);
  expect(closed("google", "gemma-2-27b-it")).toBe(false);
  expect(closed("xai", "grok-2-1212")).toBe(false);
  expect(closed("mistral", "mistral-large")).toBe(false);
});
