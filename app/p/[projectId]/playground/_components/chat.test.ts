import { expect, test } from "vitest";
import { messagesOf, requestMessages } from "./chat";
import { type Chunk, readChunks } from "./read-chunks";
import { targetIn, targetText } from "./view";

const stored = (role: string, text: string, more: object = {}) => ({
  role,
  parts: [
    { type: "text", text },
    { type: "image", url: "x" },
  ],
  toolCalls: [],
  toolCallId: null,
  agent: null,
  spanId: null,
  at: null,
  ...more,
});

test("a recorded conversation is sent with its tool calls and their results", () => {
  const calls = [{ id: "call_9", name: "find_order", arguments: '{"id":1}' }];
  expect(
    messagesOf([
      stored("developer", "Be brief."),
      stored("user", "Where is it?"),
      stored("assistant", "", { toolCalls: calls }),
      stored("tool", "sent", { toolCallId: "call_9" }),
    ]),
  ).toEqual([
    { role: "system", content: "Be brief." },
    { role: "user", content: "Where is it?" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_9", type: "function", function: { name: "find_order", arguments: '{"id":1}' } }],
    },
    { role: "tool", content: "sent", tool_call_id: "call_9" },
  ]);
});

test("a typed system prompt replaces the recorded one, and the thread precedes the new question", () => {
  const before = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Hello" },
  ];
  const thread = [{ prompt: null, content: "Hi." }];
  expect(requestMessages(" ", before, thread, "And now?").map(({ content }) => content)).toEqual([
    "Be brief.",
    "Hello",
    "Hi.",
    "And now?",
  ]);
  expect(requestMessages("Be long.", before, [], null).map(({ content }) => content)).toEqual(["Be long.", "Hello"]);
});

test("a stream is read up to [DONE] however it is split, with its token counts and errors", async () => {
  const text = [
    'data: {"choices":[{"delta":{"content":"Yes, "}}]}',
    ": a comment",
    'data: {"choices":[{"delta":{"content":"30 days."}}]}',
    "data: not JSON",
    'data: {"choices":[],"usage":{"completion_tokens":7}}',
    'data: {"error":{"message":"The server stopped."}}',
    "data: [DONE]",
    'data: {"choices":[{"delta":{"content":"never"}}]}',
    "",
  ].join("\r\n");
  const cut = async function* () {
    for (let at = 0; at < text.length; at += 7) yield text.slice(at, at + 7);
  };
  const chunks: Chunk[] = [];
  for await (const chunk of readChunks(cut())) chunks.push(chunk);
  expect(chunks.map((one) => one.text).join("")).toBe("Yes, 30 days.");
  expect(chunks.flatMap(({ tokens }) => tokens ?? [])).toEqual([7]);
  expect(chunks.at(-1)?.error).toBe("The server stopped.");
});

test("a pane's target is read from the URL, even if its id has a colon", () => {
  expect(targetIn("base:/models/a:b")).toEqual({ kind: "base", id: "/models/a:b" });
  expect(targetIn("checkpoint:")).toBeNull();
  expect(targetIn("model:x")).toBeNull();
  expect(targetText({ kind: "deployment", id: "dep_1" })).toBe("deployment:dep_1");
});
