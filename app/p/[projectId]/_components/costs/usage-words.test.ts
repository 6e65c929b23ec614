import { expect, test } from "vitest";
import { formatUnits, tokensIn, usageNames } from "./usage-words";

const USAGE = { web_searches: 2, input_audio_tokens: 20, audio_seconds: 1.5, output_tokens: 3, input_tokens: 80 };

test("only token buckets and their parts count as tokens", () => {
  expect(tokensIn(USAGE)).toBe(103);
});

test("usage is listed with the main buckets first, then their parts, then other units by name", () => {
  expect(usageNames(USAGE)).toEqual([
    "input_tokens",
    "output_tokens",
    "input_audio_tokens",
    "audio_seconds",
    "web_searches",
  ]);
});

test.each([
  [1.5, "1.5"],
  [12_345, "12,345"],
  [0.30000000000000004, "0.3"],
])("%s units are shown as %s", (count, text) => expect(formatUnits(count)).toBe(text));
