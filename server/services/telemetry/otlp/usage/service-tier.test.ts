import { expect, test } from "vitest";
import { spanOf } from "../testing/conversations";
import type { SentAttributes } from "../testing/encode-otlp";
import { resolveUsage } from "./resolve-usage";
import { serviceTiersOf } from "./service-tier";

const tiers = (attributes: SentAttributes) => serviceTiersOf(spanOf(attributes).attributes);

test.each<[client: string, attributes: SentAttributes, tiers: string[]]>([
  ["OpenTelemetry", { "openai.response.service_tier": "flex" }, ["flex"]],
  ["OpenTelemetry before", { "gen_ai.openai.response.service_tier": "priority" }, ["priority"]],
  ["Anthropic's own SDK", { "anthropic.response.service_tier": "batch" }, ["batch"]],
  ["Claude Code", { speed: "fast" }, ["fast"]],
  ["an application's own speed", { speed: "1.5" }, []],
  ["a request without a response", { "gen_ai.openai.request.service_tier": "flex" }, ["flex"]],
  ["OpenInference", { "llm.invocation_parameters": '{"service_tier":"flex"}' }, ["flex"]],
  ["Langfuse", { "langfuse.observation.model.parameters": '{"service_tier":"batch"}' }, ["batch"]],
  ["AI SDK, OpenAI", { "ai.response.providerMetadata": '{"openai":{"serviceTier":"Flex"}}' }, ["flex"]],
  [
    "AI SDK, Anthropic",
    { "ai.response.providerMetadata": '{"anthropic":{"usage":{"service_tier":"batch","speed":"fast"}}}' },
    ["batch", "fast"],
  ],
  [
    "Logfire",
    { "gen_ai.usage.raw": '{"input_tokens":1,"service_tier":"priority","inference_geo":"us"}' },
    ["priority", "geo_us"],
  ],
])("%s", (_client, attributes, expected) => expect(tiers(attributes)).toEqual(expected));

test("the tier in which a call was served is not the one that was asked for", () => {
  const asked = { "openai.request.service_tier": "priority" };
  expect(tiers({ ...asked, "openai.response.service_tier": "default" })).toEqual([]);
  expect(tiers({ "openai.request.service_tier": "auto", "openai.response.service_tier": "priority" })).toEqual([
    "priority",
  ]);
});

test.each(["default", "standard", "auto", "standard_only", "on_demand", ""])("%j is the standard tier", (tier) => {
  expect(tiers({ "openai.response.service_tier": tier })).toEqual([]);
});

test("usage names the tier, and none without usage", () => {
  const flex = { "openai.response.service_tier": "flex" };
  const used = { "gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 1 };
  const usage = { input_tokens: 10, output_tokens: 1, service_tier_flex: 1 };
  expect(resolveUsage(spanOf({ ...flex, ...used }).attributes, null).usage).toEqual(usage);
  expect(resolveUsage(spanOf(flex).attributes, null).usage).toBeNull();
});
