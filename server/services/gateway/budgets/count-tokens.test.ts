import { expect, test } from "vitest";
import { emptyAnswer } from "../calls/fold-answer";
import { estimatedTokens, mostTokens, tokensOf } from "./count-tokens";

test("a picture in a request counts as one, and not as its bytes", () => {
  const text = JSON.stringify({ messages: [{ role: "user", content: "What is this?" }] });
  const picture = "iVBORw0KGgo".repeat(10_000);
  const bytes = Buffer.from(text.replace("What is this?", `data:image/png;base64,${picture}`));
  expect(mostTokens(Buffer.from(text))).toBe(Math.ceil(text.length / 2));
  expect(mostTokens(bytes)).toBeGreaterThan(3_000);
  expect(mostTokens(bytes)).toBeLessThan(6_000);
  expect(estimatedTokens(Buffer.from(text))).toBe(Math.ceil(text.length / 4));
});

test("an answer's tokens are counted with its reasoning and tool calls", () => {
  const toolCalls = [{ id: "c", name: "find", arguments: '{"q":"hat"}' }];
  expect(tokensOf({ ...emptyAnswer(), content: "Four", reasoning: "Four", toolCalls })).toBe(6);
  expect(tokensOf(emptyAnswer())).toBe(0);
});
