import { expect, test } from "vitest";
import { sentenceAround } from "./sentence";

const around = (text: string, words: string) => {
  const start = text.indexOf(words);
  return text.slice(...sentenceAround(text, start, start + words.length));
};

test("a sentence ends at its stop, question mark or line", () => {
  expect(around("It rains. Take the blue umbrella! Bye.", "blue")).toBe("Take the blue umbrella!");
  expect(around("- Item: tent\n- Status: sent\n- Total: 3", "sent")).toBe("- Status: sent\n");
});

test("a sentence longer than the reach does not begin within a word", () => {
  const long = `${"wonderful ".repeat(40)}blue umbrella.`;
  expect(around(long, "blue")).toMatch(/^wonderful wonderful /);
  expect(around("話".repeat(300), "話".repeat(200)).length).toBeGreaterThan(200);
});
