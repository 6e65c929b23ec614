import { expect, test } from "vitest";
import type { PlacedMessage } from "@/server/services/telemetry/schemas";
import { indexNow } from "./held-place";

const says = (index: number, text: string, spanId = `span of ${text}`): PlacedMessage => ({
  index,
  role: "user",
  parts: [{ type: "text", text }],
  toolCalls: [],
  toolCallId: null,
  spanId,
  at: null,
});
const loaded = (...messages: PlacedMessage[]) => new Map(messages.map((message) => [message.index, message]));

test("a message stays at its index when it was read again and nothing came before it", () => {
  expect(indexNow(says(4, "here"), loaded(says(3, "before"), says(4, "here"), says(5, "new")))).toBe(4);
});
test("a message is found where others that came before it moved it", () => {
  expect(indexNow(says(4, "here"), loaded(says(4, "late"), says(5, "late too"), says(6, "here")))).toBe(6);
  expect(indexNow(says(4, "here"), loaded(says(2, "here"), says(3, "after"), says(4, "later")))).toBe(2);
});
test("of equal messages the nearest is meant, and the same words of another span are another message", () => {
  expect(indexNow(says(4, "go on", "a"), loaded(says(1, "go on", "a"), says(4, "late"), says(5, "go on", "a")))).toBe(
    5,
  );
  expect(indexNow(says(4, "go on", "a"), loaded(says(4, "go on", "b"), says(5, "go on", "a")))).toBe(5);
});
test("a message that changed or is not loaded is nowhere", () => {
  expect(indexNow(says(4, "here"), loaded(says(4, "changed"), says(5, "other")))).toBeNull();
  expect(indexNow(says(4, "here", "a"), loaded(says(60, "here", "a")))).toBeNull();
});
