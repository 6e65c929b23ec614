import { expect, test } from "vitest";
import type { PriceDefinition } from "@/server/services/pricing/schemas";
import { definitionOf, emptyTier, errorsOf, formFaults, formOf, nextTier } from "./form";

const price: PriceDefinition = {
  id: "external:acme-large",
  provider: "external",
  modelName: "acme-large",
  matchPattern: "^acme-",
  source: "project_custom",
  editable: true,
  resettable: false,
  pricingTiers: [
    {
      id: "standard",
      name: "Standard",
      isDefault: true,
      priority: 0,
      conditions: [],
      prices: { input_tokens: 0.0000025, web_searches: 0.01 },
    },
    {
      id: "long",
      name: "Long",
      isDefault: false,
      priority: 1.5,
      conditions: [{ usageDetailPattern: "^input", operator: "gte", value: 200_000 }],
      prices: { input_tokens: 1e-12, "a/b": 3.3333333e-7 },
    },
  ],
};
const nothing = { id: null, base: null, model: null, vendor: null };

test("untouched amounts are sent exactly as stored", () => {
  const { provider, modelName, matchPattern, pricingTiers } = price;
  expect(definitionOf(formOf(price, nothing))).toEqual({ provider, modelName, matchPattern, pricingTiers });
});

test("a new price starts with its model, and without a pattern", () => {
  const form = formOf(undefined, { ...nothing, model: "acme-9", vendor: "openai" });
  expect(form).toMatchObject({ provider: "openai", modelName: "acme-9", matchPattern: "" });
  form.tiers[0]!.prices.forEach((row) => {
    row.amount = "2";
  });
  expect(definitionOf(form)).toEqual({
    provider: "openai",
    modelName: "acme-9",
    matchPattern: "^acme-9$",
    pricingTiers: [
      {
        name: "Standard",
        isDefault: true,
        priority: 0,
        conditions: [],
        prices: { input_tokens: 0.000002, output_tokens: 0.000002 },
      },
    ],
  });
});

test("a cleared pattern matches only the price's own name, instead of keeping the old pattern", () => {
  const form = { ...formOf(price, nothing), modelName: " acme-v1.5 ", matchPattern: " " };
  expect(definitionOf(form)).toMatchObject({ modelName: "acme-v1.5", matchPattern: "^acme-v1\\.5$" });
});

test("empty or invalid amounts and duplicate buckets are reported before anything is sent", () => {
  const form = formOf(price, nothing);
  form.tiers[0]!.prices[0]!.amount = " ";
  form.tiers[0]!.prices[1] = { key: "k", bucket: " input_tokens", amount: "1,5" };
  form.tiers[1]!.conditions[0]!.value = "many";
  expect(formFaults(form)).toEqual({
    "tiers.0.prices.0.amount": "Enter an amount, or 0 if it is free.",
    "tiers.0.prices.1.bucket": "This bucket already has a price above.",
    "tiers.0.prices.1.amount": "Enter a number.",
    "tiers.1.conditions.0.value": "Enter a number.",
  });
  expect(formFaults(formOf(price, nothing))).toEqual({});
});

test("the server's pointers map to form fields", () => {
  const form = formOf(price, nothing);
  const at = (path: string) => Object.keys(errorsOf([{ path, message: "No." }], form, "/draft"))[0];
  expect(at("/draft/matchPattern")).toBe("matchPattern");
  expect(at("/draft/pricingTiers")).toBe("tiers");
  expect(at("/pricingTiers/1/prices/a~1b")).toBe("tiers.1.prices.1.amount");
  expect(at("/pricingTiers/1/conditions/0/usageDetailPattern")).toBe("tiers.1.conditions.0.usageDetailPattern");
  expect(at("/pricingTiers/1/conditions")).toBe("tiers.1.conditions");
  expect(at("/pricingTiers/1/id")).toBe("tiers.1.name");
});

test("an added tier is evaluated last, and starts with the default's prices", () => {
  const tier = nextTier(formOf(price, nothing).tiers);
  expect(tier).toMatchObject({ isDefault: false, priority: "2.5", conditions: [{ operator: "gt" }] });
  expect(tier.prices.map(({ bucket, amount }) => [bucket, amount])).toEqual([
    ["input_tokens", "2.5"],
    ["web_searches", "0.01"],
  ]);
  expect(nextTier([]).isDefault).toBe(true);
  expect(emptyTier().isDefault).toBe(true);
});
