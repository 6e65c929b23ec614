import { expect, test } from "vitest";
import { coloursOf } from "./colours";

test("a group keeps its colour, and up to ten have distinct ones", () => {
  const keys = ["gpt-4o", "gpt-4o-mini", "claude-sonnet-4", "acme-1", "acme-2", "acme-3", "acme-4", null];
  const colours = coloursOf(keys);
  expect(new Set(colours).size).toBe(keys.length);
  expect(coloursOf(["gpt-4o"])).toEqual([colours[0]]);
  expect(coloursOf(Array.from({ length: 40 }, (_, n) => `model-${n}`))).toHaveLength(40);
});
