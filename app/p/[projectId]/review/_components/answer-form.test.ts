import { expect, test } from "vitest";
import type { ChatAnswer } from "@/server/services/datasets/chat-payload/schemas";
import { answerOfForm, formOfAnswer, withAnswers } from "./answer-form";

const call = { id: "a", type: "function" as const, function: { name: "find", arguments: '{"id":1}' } };
const answer: ChatAnswer = { role: "assistant", content: null, tool_calls: [call] };

test("an unedited answer is unchanged", () => {
  expect(answerOfForm(answer, formOfAnswer(answer))).toEqual(answer);
  const spoken: ChatAnswer = { role: "assistant", content: "Tomorrow.", name: "support" };
  expect(answerOfForm(spoken, formOfAnswer(spoken))).toEqual(spoken);
});

test("edits to text and arguments are applied, and calls keep their ids", () => {
  expect(answerOfForm(answer, { content: "Let me see.", arguments: ['{"id":2}'] })).toEqual({
    role: "assistant",
    content: "Let me see.",
    tool_calls: [{ ...call, function: { name: "find", arguments: '{"id":2}' } }],
  });
});

test("a pair has a rejected answer, and its expected answer keeps its weight", () => {
  const spoken = (content: string): ChatAnswer => ({ role: "assistant", content });
  const payload = {
    input: { type: "chat" as const, messages: [{ role: "user" as const, content: "When?" }] },
    expectedOutput: { type: "chat_message" as const, message: spoken("Today."), weight: 0.5 },
  };
  expect(withAnswers(payload, spoken("Tomorrow."), spoken("Never."))).toEqual({
    ...payload,
    expectedOutput: { type: "chat_message", message: spoken("Tomorrow."), weight: 0.5 },
    rejectedOutput: { type: "chat_message", message: spoken("Never.") },
  });
  expect(withAnswers(payload, spoken("Today."), null)).toEqual(payload);
});
