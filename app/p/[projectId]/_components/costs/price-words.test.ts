import { expect, test } from "vitest";
import { conditionWords, formatPrice, quoted, unquoted } from "./price-words";

test.each([
  ["input_tokens", 0.0000025, "2.5"],
  ["input_tokens", 1e-12, "0.000001"],
  ["output_tokens", 0.000000075, "0.075"],
  ["input_tokens", 3.3333333e-7, "0.33333333"],
  ["web_searches", 0.01, "0.01"],
])("a price of %s is quoted without losing a digit and parses back to the same number", (bucket, price, amount) => {
  expect(quoted(bucket, price)).toBe(amount);
  expect(unquoted(bucket, amount)).toBe(price);
});

test("tokens are quoted per million, everything else per unit", () => {
  expect(formatPrice("cache_read_input_tokens", 0.00000125)).toBe("$1.25 / 1M");
  expect(formatPrice("web_searches", 0.01)).toBe("$0.01 each");
});

test("a tier's condition is described in words", () => {
  expect(conditionWords({ usageDetailPattern: "input", operator: "gt", value: 200_000 })).toBe(
    'more than 200,000 in buckets like "input"',
  );
});
