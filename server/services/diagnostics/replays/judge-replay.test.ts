import { expect, test } from "vitest";
import { DEFAULT_CONFIGURATION, RULES } from "../rules";
import { isFoundIn } from "./judge-replay";

const rule = RULES.find(({ id }) => id === "broken-response")!;
const frozen = (signal: string) => ({
  ruleId: rule.id,
  version: rule.version,
  configuration: DEFAULT_CONFIGURATION,
  signal,
});
const PROMPT = [{ role: "user" as const, content: "Reply with JSON only: where is order 4711?" }];
const answer = (content: string, finishReason = "stop") => ({ content, finishReason });

test("an answer is judged only by the Finding's Signal", () => {
  expect(isFoundIn(frozen("empty_response"), PROMPT, answer(""))).toBe(true);
  expect(isFoundIn(frozen("empty_response"), PROMPT, answer('{"city": "Bern"}'))).toBe(false);
  expect(isFoundIn(frozen("malformed_output"), PROMPT, answer('{"city": "Bern"'))).toBe(true);
  expect(isFoundIn(frozen("empty_response"), PROMPT, answer('{"city": "Bern"'))).toBe(false);
});

test("an answer that the model was cut off in is found, and a complete one is not", () => {
  expect(isFoundIn(frozen("truncated_response"), PROMPT, answer("It is in", "length"))).toBe(true);
  expect(isFoundIn(frozen("truncated_response"), PROMPT, answer("It is in Bern.", "stop"))).toBe(false);
});

test("matches before the answer are ignored", () => {
  const before = [...PROMPT, { role: "assistant" as const, content: "" }, { role: "user" as const, content: "Hello?" }];
  expect(isFoundIn(frozen("empty_response"), before, answer("It is in Bern."))).toBe(false);
  expect(isFoundIn(frozen("empty_response"), before, answer(""))).toBe(true);
});

test("the frozen configuration's thresholds apply, and another version of the Rule returns null", () => {
  const strict = { ...frozen("empty_response"), configuration: { ...DEFAULT_CONFIGURATION, minSignalScore: 1 } };
  expect(isFoundIn(strict, PROMPT, answer(""))).toBe(false);
  expect(isFoundIn({ ...frozen("empty_response"), version: rule.version + 1 }, PROMPT, answer(""))).toBeNull();
});
