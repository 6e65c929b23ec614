import { expect, test } from "vitest";
import { termsOf } from "./search-terms";

const wordsOf = (...texts: string[]) => termsOf({ texts });

test("words are found whatever their case, marks of punctuation or width", () => {
  expect(wordsOf("Where's my ORDER-4821? ｏｋ")).toEqual(["where", "s", "my", "order", "4821", "ok"]);
});

test("scripts without spaces are found by any two neighbouring characters", () => {
  const text = new Set(wordsOf("私の注文はどこですか"));
  expect(wordsOf("注文").every((word) => text.has(word))).toBe(true);
  expect(wordsOf("返金").every((word) => text.has(word))).toBe(false);
});

test("a text of any size gives a bounded number of words", () => {
  const words = wordsOf(Array.from({ length: 10_000 }, (_, i) => `word${i} ${"x".repeat(500)}${i}`).join(" "));
  expect(words).toHaveLength(2000);
  expect(Math.max(...words.map((word) => word.length))).toBe(40);
});

test("what is said of a model, a label or a user is not that model, label or user", () => {
  const said = termsOf({ texts: ["model:gpt-4o label:web user:ann"] });
  for (const term of termsOf({ models: ["gpt-4o"], labels: ["web"], userId: "ann" })) expect(said).not.toContain(term);
});
