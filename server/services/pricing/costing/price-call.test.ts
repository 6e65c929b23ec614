import { describe, expect, test } from "vitest";
import { bookWith, projectPrice, tier } from "../testing";
import { priceCall } from "./price-call";

const book = bookWith(
  projectPrice({
    modelName: "tiered",
    pricingTiers: [
      tier({ input_tokens: 1 }),
      tier(
        { input_tokens: 3 },
        { name: "Long", priority: 1, conditions: [{ usageDetailPattern: "^input", operator: "gt", value: 10 }] },
      ),
    ],
  }),
  projectPrice({
    modelName: "no-default-tier",
    pricingTiers: [
      tier({ input_tokens: 3 }, { conditions: [{ usageDetailPattern: "^input", operator: "gt", value: 10 }] }),
    ],
  }),
);
const priced = (models: { requestedModel?: string; responseModel?: string }, usage = { input_tokens: 5 }) =>
  priceCall(book, { requestedModel: null, responseModel: null, provider: null, usage, ...models }).cost;

describe("a call", () => {
  test("is priced as the response model, else as the requested one", () => {
    expect(priced({ requestedModel: "gpt-4o", responseModel: "gpt-4o-mini" })?.model.id).toBe("openai:gpt-4o-mini");
    expect(priced({ requestedModel: "gpt-4o", responseModel: "my deployment" })?.model.id).toBe("openai:gpt-4o");
    expect(priced({ requestedModel: "gpt-4o" })?.model.id).toBe("openai:gpt-4o");
  });

  test.each([
    ["text-embedding-ada-002", "ada", null, "openai:text-embedding-ada-002"],
    ["gpt-4-32k", "gpt-4", null, "openai:gpt-4-32k"],
    ["gpt-4o", "gpt-4", "azure", "openai:gpt-4o"],
    ["gpt-4o-mini", "gpt-4o-mini-2024-07-18", "azure", "openai:gpt-4o-mini"],
    ["gpt-4", "gpt-4o", "azure", "openai:gpt-4o"],
    ["gpt-4o", "gpt-4", "openai", "openai:gpt-4"],
    ["my-deployment", "gpt-4", "azure", "openai:gpt-4"],
  ])("of %s that was answered by %s at %s is priced as %s", (requestedModel, responseModel, provider, id) => {
    const call = { requestedModel, responseModel, provider, usage: { input_tokens: 5 } };
    expect(priceCall(book, call).cost?.model.id).toBe(id);
  });

  test.each([
    ["flex at its own price", "gpt-5-2025-08-07", { input_tokens: 1_000, service_tier_flex: 1 }, "0.000625"],
    ["a tier without a price", "gpt-4o", { input_tokens: 1_000, service_tier_flex: 1 }, null],
    ["two tiers at once", "gpt-5", { input_tokens: 1_000, service_tier_flex: 1, service_tier_geo_us: 1 }, null],
    ["priority above its prices", "gpt-5.4", { input_tokens: 272_000, service_tier_priority: 1 }, null],
    [
      "audio at its own price",
      "gpt-4o-audio-preview-2025-06-03",
      { input_tokens: 100, output_tokens: 50, input_audio_tokens: 1_000, output_audio_tokens: 200 },
      "0.05675",
    ],
    ["audio of the first snapshot", "gpt-4o-audio-preview-2024-10-01", { input_audio_tokens: 1_000 }, "0.1"],
    ["audio without a price", "gpt-4o", { input_tokens: 100, input_audio_tokens: 1_000 }, null],
    ["images of Gemini like text", "gemini-2.5-flash", { input_image_tokens: 1_000 }, "0.0003"],
    ["long context", "claude-sonnet-4-20250514", { input_tokens: 200_001, output_tokens: 1_000 }, "1.222506"],
    ["context that is not long", "claude-sonnet-4-20250514", { input_tokens: 200_000, output_tokens: 1_000 }, "0.615"],
  ])("costs %s", (_what, responseModel, usage, total) => {
    const call = { requestedModel: null, responseModel, provider: null, usage };
    expect(priceCall(book, call).totalDecimal).toBe(total);
  });

  test("is priced entirely in the tier of its usage", () => {
    expect(priced({ responseModel: "tiered" }, { input_tokens: 10 })).toMatchObject({
      total: 10,
      tier: { name: "Standard" },
    });
    expect(priced({ responseModel: "tiered" }, { input_tokens: 11 })).toMatchObject({
      total: 33,
      tier: { name: "Long" },
    });
  });

  test("records the origin of its prices", () => {
    expect(priced({ responseModel: "gpt-4o" })?.pricesVersion).toMatch(/^default@\d{4}-\d\d-\d\d$/);
    expect(priced({ responseModel: "tiered" })?.pricesVersion).toBe("mp_tiered@1");
  });

  test("has no cost without a known model, without usage, or without a tier that applies", () => {
    expect(priced({})).toBeNull();
    expect(priced({ responseModel: "unknown" })).toBeNull();
    expect(priced({ responseModel: "no-default-tier" })).toBeNull();
    expect(
      priceCall(book, { requestedModel: null, responseModel: "gpt-4o", provider: null, usage: null }).cost,
    ).toBeNull();
  });

  test("made before a price change has the earlier price", () => {
    const call = { requestedModel: null, responseModel: "o3", provider: "openai", usage: { output_tokens: 1_000 } };
    expect(priceCall(book, { ...call, at: Date.UTC(2025, 4, 1) }).totalDecimal).toBe("0.04");
    expect(priceCall(book, { ...call, at: Date.UTC(2025, 6, 1) }).totalDecimal).toBe("0.008");
  });
});
