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
