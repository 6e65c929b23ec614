import { expect, test } from "vitest";
import { previewOf } from "./preview";

const answer = (message: object) => ({
  type: "chat_message" as const,
  message: { role: "assistant" as const, ...message },
});
const input = {
  type: "chat" as const,
  messages: [
    { role: "system" as const, content: "Be brief." },
    { role: "user" as const, content: "Where is 4711?" },
  ],
};

test("an Example's preview is its last question and its answer", () => {
  expect(previewOf({ input, expectedOutput: answer({ content: "Tomorrow." }) })).toEqual({
    question: "Where is 4711?",
    answer: "Tomorrow.",
  });
});

test("an answer without text shows the tools that it calls", () => {
  const call = (name: string) => ({ id: name, type: "function" as const, function: { name, arguments: "{}" } });
  const message = { content: null, tool_calls: [call("find_order"), call("refund")] };
  expect(previewOf({ input, expectedOutput: answer(message) }).answer).toBe("find_order(), refund()");
});
