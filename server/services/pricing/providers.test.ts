import { describe, expect, test } from "vitest";
import { priceListOf, priceListOfWord } from "./providers";

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
  ])("%s resells at list prices", (provider) => expect(priceListOf(provider)).toBe("any"));

  test.each(["groq", "together_ai", "fireworks-ai", "ollama", "perplexity", "ovhcloud"])(
    "%s has prices of its own",
    (provider) => expect(priceListOf(provider)).toBe("own"),
  );
  test.each(["", "acme", "strands-agents", "deepgram", `openai${"-x".repeat(100)}`])("%s is unknown", (provider) =>
    expect(priceListOf(provider)).toBeNull(),
  );

  test("of a bare word does not look at parts of it", () => {
    expect(priceListOfWord("mistral")).toBe("mistral");
    expect(priceListOfWord("mistral-7b")).toBeNull();
  });
});
