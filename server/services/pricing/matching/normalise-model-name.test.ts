import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MODEL_NAME_MAX, normaliseModelName } from "./normalise-model-name";

const last = (name: string) => normaliseModelName(name).candidates.at(-1);

describe("the forms of a model's name", () => {
  test("begin with the name as sent, in lower case and without white space around it", () => {
    expect(normaliseModelName("  GPT-4o\n")).toEqual({ candidates: ["gpt-4o"], priceList: null, hosted: false });
    expect(normaliseModelName("OpenAI/GPT-4o").candidates).toEqual(["openai/gpt-4o", "gpt-4o"]);
  });

  test.each([
    ["azure/eu/gpt-4o-2024-08-06", "gpt-4o-2024-08-06"],
    ["azure/global-standard/gpt-4o", "gpt-4o"],
    ["azure_ai/gpt-4.1", "gpt-4.1"],
    ["openrouter/anthropic/claude-sonnet-4", "claude-sonnet-4"],
    ["openrouter/anthropic/claude-3.7-sonnet:thinking", "claude-3.7-sonnet"],
    ["vercel_ai_gateway/openai/gpt-4o", "gpt-4o"],
    ["litellm_proxy/azure/us/o1-mini", "o1-mini"],
    ["vertex_ai/claude-3-5-sonnet@20240620", "claude-3-5-sonnet-20240620"],
    ["claude-opus-4-6@default", "claude-opus-4-6"],
    ["publishers/google/models/gemini-2.0-flash", "gemini-2.0-flash"],
    [
      "projects/p-1/locations/europe-west4/publishers/anthropic/models/claude-sonnet-4@20250514",
      "claude-sonnet-4-20250514",
    ],
    ["models/gemini-2.5-pro", "gemini-2.5-pro"],
    ["google-gla:gemini-1.5-flash", "gemini-1.5-flash"],
    ["openai-responses:gpt-5", "gpt-5"],
    ["gateway/openai-chat:gpt-5-mini", "gpt-5-mini"],
    ["azure_openai:gpt-4.1", "gpt-4.1"],
    ["google_vertexai:gemini-2.5-flash", "gemini-2.5-flash"],
    ["google_anthropic_vertex:claude-sonnet-4@20250514", "claude-sonnet-4-20250514"],
    ["bedrock_converse:us.anthropic.claude-3-haiku-20240307-v1:0", "claude-3-haiku-20240307"],
    ["bedrock:us.anthropic.claude-3-haiku-20240307-v1:0", "claude-3-haiku-20240307"],
    ["bedrock/us-east-1/anthropic.claude-instant-v1", "claude-instant"],
    ["bedrock/converse/us-gov.anthropic.claude-3-7-sonnet-20250219-v1:0", "claude-3-7-sonnet-20250219"],
    ["apac.anthropic.claude-sonnet-4-20250514-v1:0", "claude-sonnet-4-20250514"],
    [
      "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-3-opus-20240229-v1:0",
      "claude-3-opus-20240229",
    ],
    ["arn:aws-us-gov:bedrock:us-gov-west-1::foundation-model/anthropic.claude-v2:1", "claude"],
    ["claude-sonnet-4-5-20250929[1m]", "claude-sonnet-4-5-20250929"],
  ])("%s is reduced to %s", (name, bare) => expect(last(name)).toBe(bare));

  test("preserve an unknown prefix, an application inference profile, and all of a fine-tune", () => {
    expect(normaliseModelName("missing/gpt-4o").candidates).toEqual(["missing/gpt-4o"]);
    const profile = "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3";
    expect(normaliseModelName(profile).candidates).toEqual([profile]);
    expect(normaliseModelName("ft:gpt-4.1:acme::x@y-v1").candidates).toEqual(["ft:gpt-4.1:acme::x@y-v1"]);
  });

  test("do not mistake a tag for a provider", () => {
    expect(normaliseModelName("mistral-7b:latest")).toMatchObject({
      candidates: ["mistral-7b:latest"],
      priceList: null,
    });
    expect(normaliseModelName("grok-3:free").priceList).toBeNull();
    expect(last("deepseek-chat:thinking")).toBe("deepseek-chat");
  });

  test("are empty for an empty or overlong name", () => {
    expect(normaliseModelName(" \t ").candidates).toEqual([]);
    expect(normaliseModelName("a".repeat(MODEL_NAME_MAX + 1)).candidates).toEqual([]);
  });

  test("imply a price list: the vendor before the reseller, and a host with its own prices before both", () => {
    expect(normaliseModelName("openrouter/anthropic/claude-opus-4").priceList).toBe("anthropic");
    expect(normaliseModelName("azure/gpt-4o").priceList).toBe("any");
    expect(normaliseModelName("ollama/openai/gpt-4o").priceList).toBe("own");
    expect(normaliseModelName("groq/openai/gpt-oss-20b")).toMatchObject({ priceList: "openai", hosted: true });
    expect(normaliseModelName("openai/groq/gpt-oss-20b")).toMatchObject({ priceList: "weights", hosted: true });
    expect(normaliseModelName("eu.anthropic.claude-opus-4-v1:0").priceList).toBe("anthropic");
    expect(normaliseModelName("us.meta.llama3-70b-instruct-v1:0").priceList).toBeNull();
  });

  test("are at most ten and never longer than the name, for any input", () => {
    const part = fc.constantFrom(
      "openai",
      "azure",
      "eu",
      "us.",
      "anthropic.",
      "arn:aws:bedrock:",
      "/",
      ":",
      "@",
      "-v1:0",
      "ft:",
      "x",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ maxLength: 60 }),
          fc.array(part, { maxLength: 30 }).map((parts) => parts.join("")),
        ),
        (name) => {
          const { candidates } = normaliseModelName(name);
          expect(candidates.length).toBeLessThanOrEqual(10);
          for (const candidate of candidates) expect(candidate.length).toBeLessThanOrEqual(name.toLowerCase().length);
        },
      ),
    );
  });
});
