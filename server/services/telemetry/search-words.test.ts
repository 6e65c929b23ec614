import { expect, test } from "vitest";
import { addWords, wordsOf } from "./search-words";

test("words are found whatever their case, marks of punctuation or width", () => {
  expect(wordsOf("Where's my ORDER-4821? ｏｋ")).toEqual(["where", "s", "my", "order", "4821", "ok"]);
});

test("scripts without spaces are found by any two neighbouring characters", () => {
  const text = new Set<string>();
  addWords(text, "私の注文はどこですか");
  expect(wordsOf("注文").every((word) => text.has(word))).toBe(true);
  expect(wordsOf("返金").every((word) => text.has(word))).toBe(false);
});

test("a text of any size gives a bounded number of words", () => {
  const words = new Set<string>();
  addWords(words, Array.from({ length: 10_000 }, (_, i) => `word${i} ${"x".repeat(500)}${i}`).join(" "));
  expect(words.size).toBe(2000);
  expect(Math.max(...[...words].map((word) => word.length))).toBe(40);
});
