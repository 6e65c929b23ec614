import { expect, test } from "vitest";
import { GenerationalCache } from "./generational-cache";

test("keeps recently used entries and eventually evicts the others", () => {
  const cache = new GenerationalCache<number>(3);
  for (let round = 0; round < 10; round++) {
    cache.set(`new ${round}`, round);
    cache.set("kept", 1);
    expect(cache.get("kept")).toBe(1);
  }
  expect(cache.get("new 0")).toBeUndefined();
  expect(cache.get("new 9")).toBe(9);
});

test("caches null values", () => {
  const cache = new GenerationalCache<null>(1);
  cache.set("a", null);
  expect(cache.get("a")).toBeNull();
  expect(cache.get("b")).toBeUndefined();
});
