import { expect, test } from "vitest";
import type { PlacedMessage } from "@/server/services/telemetry/schemas";
import { indexNow } from "./held-place";

const says = (index: number, text: string, spanId = `span of ${text}`): PlacedMessage => ({
  index,
  role: "user",
  parts: [{ type: "text", text }],
  toolCalls: [],
  toolCallId: null,
  agent: null,
  spanId,
  at: null,
});
const loaded = (...messages: PlacedMessage[]) => new Map(messages.map((message) => [message.index, message]));

test("a message keeps its index after a reload when nothing was inserted before it", () => {
  expect(indexNow(says(4, "here"), loaded(says(3, "before"), says(4, "here"), says(5, "new")))).toBe(4);
});
test("a message is found at its new index when messages before it were added or removed", () => {
  expect(indexNow(says(4, "here"), loaded(says(4, "late"), says(5, "late too"), says(6, "here")))).toBe(6);
  expect(indexNow(says(4, "here"), loaded(says(2, "here"), says(3, "after"), says(4, "later")))).toBe(2);
});
test("the nearest of equal messages is chosen, and the same text from another span does not match", () => {
  expect(indexNow(says(4, "go on", "a"), loaded(says(1, "go on", "a"), says(4, "late"), says(5, "go on", "a")))).toBe(
    5,
  );
  expect(indexNow(says(4, "go on", "a"), loaded(says(4, "go on", "b"), says(5, "go on", "a")))).toBe(5);
});
test("a message that changed, or whose old index is not loaded, is not found", () => {
  expect(indexNow(says(4, "here"), loaded(says(4, "changed"), says(5, "other")))).toBeNull();
  expect(indexNow(says(4, "here", "a"), loaded(says(60, "here", "a")))).toBeNull();
});
