import { expect, test } from "vitest";
import { changedParts, readableParts } from "./readable";

const payload = (answer: string, asked = "Where is 4711?") => ({
  input: {
    type: "chat",
    messages: [
      { role: "user", content: asked },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "a", type: "function", function: { name: "find", arguments: '{"id":1}' } }],
      },
      { role: "tool", tool_call_id: "a", content: "On its way" },
    ],
  },
  expectedOutput: { type: "chat_message", message: { role: "assistant", content: answer }, weight: 0 },
});

test("a payload is shown as its messages, calls and answer", () => {
  expect(readableParts(payload("Tomorrow."))).toEqual([
    { label: "Message 1, User", text: "Where is 4711?" },
    { label: "Message 2, Assistant", text: 'find({"id":1}) #a' },
    { label: "Message 3, Tool result", text: "#a\nOn its way" },
    { label: "Expected output", text: "Tomorrow." },
    { label: "Weight", text: "0" },
  ]);
});

test("changed parts are listed, and unchanged ones are counted", () => {
  expect(changedParts(readableParts(payload("Tomorrow.")), readableParts(payload("Today.")))).toEqual({
    changed: [{ label: "Expected output", before: "Tomorrow.", after: "Today." }],
    unchanged: 4,
  });
});

test("a part that only one side has is shown as added or removed", () => {
  const paired = {
    ...payload("Yes."),
    rejectedOutput: { type: "chat_message", message: { role: "assistant", content: "No." } },
  };
  const [one, two] = [readableParts(payload("Yes.")), readableParts(paired)];
  expect(changedParts(one, two).changed).toEqual([{ label: "Rejected output", before: "", after: "No." }]);
  expect(changedParts(two, one).changed).toEqual([{ label: "Rejected output", before: "No.", after: "" }]);
});
