import { expect, test } from "vitest";
import { assistant, conversationOf, user } from "../../../../../bench/labelled/conversation";
import { malformedOutput } from "../broken-response/malformed-output";
import { invalidToolArguments } from "../tool-failure/invalid-tool-arguments";
import { isRunTogether } from "./not-the-applications";

const withArguments = (text: string) =>
  conversationOf(
    user("Weather in Oslo and Rome?"),
    { role: "assistant", content: "", tool_calls: [{ name: "weather", arguments: text }] },
    { role: "tool", name: "weather", content: "It rains." },
  );
const accused = (text: string) => invalidToolArguments.detect(withArguments(text), { keywords: [] }).length > 0;

test.each([
  ["of two calls", '{"city":"Oslo"}{"city":"Rome"}'],
  ["of two calls on two lines", '{"city":"Oslo"}\n{"city":"Rome"}'],
  ["of one call twice", '{"a":[1,{"b":2}]}{"a":[1,{"b":2}]}'],
  ["after an empty start", '{}{"city":"Oslo"}'],
])("arguments %s that were run together are the instrumentation's fault", (_what, text) => {
  expect(isRunTogether(text)).toBe(true);
  expect(accused(text)).toBe(false);
});

test.each([
  ["cut off", '{"city":"Oslo"'],
  ["a second call that is cut off", '{"city":"Oslo"}{"city":'],
  ["a missing comma", '[{"city":"Oslo"}{"city":"Rome"}]'],
])("arguments with %s are the model's fault", (_what, text) => expect(accused(text)).toBe(true));

test.each([
  ["a mark for depth", '{"a":[[nested too deeply]]}'],
  ["a mark for length", '{"text":"lorem… [cut here: 9 more characters]'],
  ["a masked value", '{"phone": [masked: phone number]}'],
])("%s accuses nobody", (_what, text) => {
  expect(accused(text)).toBe(false);
  const asked = conversationOf(user("Answer only in JSON."), assistant(text));
  expect(malformedOutput.detect(asked, { keywords: [] })).toEqual([]);
});
