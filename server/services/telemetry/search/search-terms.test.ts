import { expect, test } from "vitest";
import { termsOf } from "./search-terms";

const wordsOf = (...texts: string[]) => termsOf({ texts });

test("words are found regardless of case, punctuation or character width", () => {
  expect(wordsOf("Where's my ORDER-4821? ｏｋ")).toEqual(["where", "s", "my", "order", "4821", "ok"]);
});

test("scripts without spaces are found by any two adjacent characters", () => {
  const text = new Set(wordsOf("私の注文はどこですか"));
  expect(wordsOf("注文").every((word) => text.has(word))).toBe(true);
  expect(wordsOf("返金").every((word) => text.has(word))).toBe(false);
});

test("a text of any size yields a bounded number of words", () => {
  const words = wordsOf(Array.from({ length: 10_000 }, (_, i) => `word${i} ${"x".repeat(500)}${i}`).join(" "));
  expect(words).toHaveLength(2000);
  expect(Math.max(...words.map((word) => word.length))).toBe(40);
});

test("text that mentions a model, label or user does not match that filter", () => {
  const said = termsOf({ texts: ["model:gpt-4o label:web user:ann"] });
  for (const term of termsOf({ models: ["gpt-4o"], labels: ["web"], userId: "ann" })) expect(said).not.toContain(term);
});
