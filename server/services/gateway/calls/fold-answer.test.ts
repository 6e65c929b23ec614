import { expect, test } from "vitest";
import { readEvents } from "../streams/read-events";
import { emptyAnswer, foldAnswer } from "./fold-answer";

const folded = (...given: unknown[]) => {
  const answer = emptyAnswer();
  for (const one of given) foldAnswer(answer, one);
  return answer;
};
const chunk = (delta: object, more: object = {}) => ({ id: "c1", model: "m", choices: [{ index: 0, delta, ...more }] });

test("a streamed answer folds into the same result as a whole one", () => {
  const usage = { prompt_tokens: 1, completion_tokens: 2 };
  const call = { id: "call_1", function: { name: "find", arguments: '{"q":"a"}' } };
  const message = { role: "assistant", content: "Hello there", tool_calls: [call] };
  const whole = { id: "c1", model: "m", choices: [{ index: 0, message, finish_reason: "tool_calls" }], usage };
  const pieces = [
    chunk({ role: "assistant", content: "Hello " }),
    chunk({ content: "there" }),
    chunk({ tool_calls: [{ index: 0, id: "call_1", function: { name: "find", arguments: '{"q"' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: ':"a"}' } }] }),
    chunk({}, { finish_reason: "tool_calls" }),
    { id: "c1", model: "m", choices: [], usage },
  ];
  expect(folded(...pieces)).toEqual(folded(whole));
  expect(folded(whole)).toMatchObject({
    content: "Hello there",
    toolCalls: [{ id: "call_1", name: "find", arguments: '{"q":"a"}' }],
    finishReason: "tool_calls",
    usage,
  });
});

test.each([null, 1, "text", [], {}, { choices: 5 }, { choices: [null] }, chunk({ tool_calls: [{ index: 1e9 }, 7] })])(
  "the unexpected reply %j is read as an empty answer",
  (given) => {
    expect(folded(given).content).toBe("");
  },
);

async function eventsOf(...parts: (string | Uint8Array)[]) {
  async function* body() {
    for (const part of parts) yield typeof part === "string" ? Buffer.from(part) : part;
  }
  const found: string[] = [];
  for await (const { data } of readEvents(body())) if (data !== null) found.push(data);
  return found;
}

test("events are read correctly wherever the bytes are split", async () => {
  const bytes = Buffer.from('data: {"a":"ü"}\r\n\r\n: a comment\n\ndata: b\ndata: c\n\ndata:[DONE]\n\n');
  const whole = ['{"a":"ü"}', "b\nc", "[DONE]"];
  for (let at = 0; at <= bytes.length; at += 1) {
    expect(await eventsOf(bytes.subarray(0, at), bytes.subarray(at))).toEqual(whole);
  }
});
