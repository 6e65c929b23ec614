import { expect, test } from "vitest";
import { DEFAULT_MODELS, DEFAULTS_VERSION } from "@/server/services/pricing/catalogue/default-prices";
import { priceCall } from "@/server/services/pricing/costing/price-call";
import { createPriceBook } from "@/server/services/pricing/matching/resolve-price";
import { assembleReported } from "./testing/reports";

const book = createPriceBook(DEFAULT_MODELS, [], DEFAULTS_VERSION);

test.each([
  ["embeddings-in-a-wrapper", 0.0000078],
  ["calls-in-a-wrapper", 0.000063],
  ["livekit-cached", 0.00015],
  ["azure-short-name", 0.0002],
  ["zero-beside-a-number", 0.0010935],
  ["call-sent-twice", 0.000021],
  ["flex-tier", 0.001125],
  ["audio-tokens", 0.05675],
])("%s costs $%d", (name, dollars) => {
  const costs = assembleReported(name).modelCalls.map(({ startedAt, ...call }) =>
    Number(priceCall(book, { ...call, at: startedAt }).totalDecimal),
  );
  expect(costs.reduce((sum, cost) => sum + cost, 0)).toBeCloseTo(dollars, 12);
});
