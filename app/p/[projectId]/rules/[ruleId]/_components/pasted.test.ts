import { expect, test } from "vitest";
import { messagesOf } from "./pasted";

test("JSON is accepted as an array or as a request body", () => {
  const messages = [{ role: "user", content: "Hello" }];
  expect(messagesOf(JSON.stringify(messages))).toEqual(messages);
  expect(messagesOf(JSON.stringify({ model: "gpt-4o", messages }))).toEqual(messages);
});

test("messages begin with a role and may continue on the next lines", () => {
  expect(messagesOf("User: Where is my order?\nIt is late.\nassistant: I don't know.")).toEqual([
    { role: "user", content: "Where is my order?\nIt is late." },
    { role: "assistant", content: "I don't know." },
  ]);
});

test("text in neither format is refused with an explanation", () => {
  expect(() => messagesOf("Where is my order?")).toThrow(/role/);
  expect(() => messagesOf("[{]")).toThrow(/not valid JSON/);
  expect(() => messagesOf('{"text": "Hello"}')).toThrow(/messages/);
});
