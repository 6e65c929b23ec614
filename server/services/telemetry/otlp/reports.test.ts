import { expect, test } from "vitest";
import { transcriptOf } from "./testing/conversations";
import { assembleReported } from "./testing/reports";

const usages = (name: string) => assembleReported(name).modelCalls.map(({ usage }) => usage);

test("embeddings around embeddings repeat the sum of their parts", () => {
  expect(usages("embeddings-in-a-wrapper")).toEqual([{ input_tokens: 28 }, { input_tokens: 32 }]);
});

test("a call around two calls repeats their sum", () => {
  expect(usages("calls-in-a-wrapper")).toEqual([
    { input_tokens: 100, output_tokens: 10 },
    { input_tokens: 200, output_tokens: 20 },
  ]);
});

test("a call that is sent twice under different span ids counts once", () => {
  const { modelCalls, ...conversation } = assembleReported("call-sent-twice");
  expect(modelCalls).toMatchObject([{ usage: { input_tokens: 100, output_tokens: 10 } }]);
  expect(transcriptOf({ modelCalls, ...conversation })).toEqual(["user: twice", "assistant: yes"]);
});

test("a tool call whose keys come back in another order is the same call", () => {
  const conversation = assembleReported("keys-in-another-order");
  expect(transcriptOf(conversation)).toEqual([
    "user: question 0",
    'assistant: find({"query":"shoes","id":7})',
    "tool: found",
    "assistant: answer 0",
  ]);
  expect(conversation.toolCalls).toHaveLength(1);
});

test("numbers in a tool call keep their digits", () => {
  const conversation = assembleReported("exact-numbers");
  expect(transcriptOf(conversation)).toEqual([
    "user: ban 1234567890123456789",
    'assistant: ban({"user_id":1234567890123456789,"amount":10.10,"big":1e400})',
  ]);
  expect(conversation.toolCalls).toMatchObject([
    { arguments: '{"user_id":1234567890123456789}', result: '{"banned":1234567890123456789}' },
  ]);
});

test("tools of the same microseconds come in order", () => {
  const { toolCalls } = assembleReported("microseconds-apart");
  expect(toolCalls.map(({ name }) => name)).toEqual(["step0", "step1", "step2", "step3", "step4", "step5"]);
});

test("tools that OpenAI runs are tool calls with their results, not the assistant's words", () => {
  const conversation = assembleReported("responses-items");
  expect(transcriptOf(conversation)).toEqual([
    "system: Be careful.",
    "user: Find it <input_image>",
    'assistant: I will search. web_search({"type":"search","query":"it"}) lookup({"q":"it"})',
    "tool: row 7",
    'assistant: code_interpreter({"code":"print(1)"})',
    "tool: 1",
    "assistant: Found  row 7.",
    "assistant: I cannot say more.",
  ]);
  expect(conversation.toolCalls).toHaveLength(3);
});

test("in the next turn's history they are not the user's words", () => {
  const conversation = assembleReported("responses-history");
  expect(transcriptOf(conversation)).toEqual([
    "user: Find it",
    'assistant: lookup({"q":"it"})',
    "tool: row 7",
    "assistant: Found row 7.",
    "user: thanks",
    "assistant: bye",
  ]);
  expect(conversation.toolCalls).toHaveLength(1);
});

test("log records without times keep their order", () => {
  const conversation = assembleReported("log-records-without-times", "log-records-without-times.logs");
  expect(conversation.messages.map(({ role }) => role)).toEqual([
    "system",
    "user",
    "assistant",
    "user",
    "assistant",
    "tool",
    "assistant",
  ]);
});

test("a span with times in milliseconds is rejected with the reason", () => {
  expect(assembleReported("times-in-milliseconds").rejections).toEqual([
    { index: 0, spanId: "7d7026b585012f7e", reason: "startTimeUnixNano is in milliseconds, not nanoseconds" },
  ]);
});
