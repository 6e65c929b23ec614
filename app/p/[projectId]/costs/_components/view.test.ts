import { expect, test } from "vitest";
import type { Costs } from "@/server/services/costs/schemas";
import { bucketColumns, groupHref, groupName } from "./view";

test("well-known buckets come first, and those after the seventh share a column", () => {
  expect(bucketColumns({ output_tokens: 1, images: 2, input_tokens: 3 })).toEqual({
    shown: ["input_tokens", "output_tokens", "images"],
    more: [],
  });
  const many = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`b${n}`, n]));
  expect(bucketColumns({ ...many, input_tokens: 1 })).toMatchObject({ more: ["b6", "b7", "b8"] });
});

test("groups have readable names and link to their details", () => {
  expect(groupName("vendor", { key: "xai" })).toBe("xAI");
  expect(groupName("vendor", { key: null })).toBe("No price");
  expect(groupName("model", { key: "toString" })).toBe("toString");
  expect(groupName("vendor", { key: null, others: true })).toBe("Others");
  const of = (groupBy: Costs["groupBy"]) => ({ groupBy, from: 0, to: 86_400_000 }) as Costs;
  expect(groupHref("p1", of("model"), "a&b=c")).toBe(
    "/p/p1/conversations?model=a%26b=c&range=custom&from=0&to=86400000",
  );
  expect(groupHref("p1", of("label"), "a b")).toBe("/p/p1/conversations?label=a+b&range=custom&from=0&to=86400000");
  expect(groupHref("p1", of("user"), "a@b")).toBe("/p/p1/conversations?user=a@b&range=custom&from=0&to=86400000");
  expect(groupHref("p1", of("user"), null)).toBe("/p/p1/conversations?hasUser=false&range=custom&from=0&to=86400000");
  expect(groupHref("p1", of("modelPriceId"), "openai:gpt-4o")).toBe("/p/p1/prices?peek=openai%3Agpt-4o");
  expect(groupHref("p1", of("vendor"), "openai")).toBeNull();
  expect(groupHref("p1", of("model"), null)).toBeNull();
});
