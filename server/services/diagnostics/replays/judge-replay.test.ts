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

test("an answer is read by the Finding's Signal alone", () => {
  expect(isFoundIn(frozen("empty_response"), PROMPT, answer(""))).toBe(true);
  expect(isFoundIn(frozen("empty_response"), PROMPT, answer('{"city": "Bern"}'))).toBe(false);
  expect(isFoundIn(frozen("malformed_output"), PROMPT, answer('{"city": "Bern"'))).toBe(true);
  expect(isFoundIn(frozen("empty_response"), PROMPT, answer('{"city": "Bern"'))).toBe(false);
});

test("an answer that its model was cut off in counts, and one that it ended does not", () => {
  expect(isFoundIn(frozen("truncated_response"), PROMPT, answer("It is in", "length"))).toBe(true);
  expect(isFoundIn(frozen("truncated_response"), PROMPT, answer("It is in Bern.", "stop"))).toBe(false);
});

test("what the Rule reports before the answer does not count", () => {
  const before = [...PROMPT, { role: "assistant" as const, content: "" }, { role: "user" as const, content: "Hello?" }];
  expect(isFoundIn(frozen("empty_response"), before, answer("It is in Bern."))).toBe(false);
  expect(isFoundIn(frozen("empty_response"), before, answer(""))).toBe(true);
});

test("thresholds of the frozen configuration hold, and another version of the Rule judges nothing", () => {
  const strict = { ...frozen("empty_response"), configuration: { ...DEFAULT_CONFIGURATION, minSignalScore: 1 } };
  expect(isFoundIn(strict, PROMPT, answer(""))).toBe(false);
  expect(isFoundIn({ ...frozen("empty_response"), version: rule.version + 1 }, PROMPT, answer(""))).toBeNull();
});
