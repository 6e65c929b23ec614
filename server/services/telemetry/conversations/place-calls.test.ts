import { expect, test } from "vitest";
import { type OutlineMessage, placeCalls } from "./place-calls";

const message = (at: number | null, spanId: string | null = null): OutlineMessage => ({
  role: "user",
  agent: null,
  spanId,
  at,
  length: 1,
});
const placesOf = (messages: OutlineMessage[], ...calls: [spanId: string, startedAt: number][]) =>
  placeCalls({
    messages,
    calls: calls.map(([spanId, startedAt]) => ({ kind: "tool", traceId: "t", spanId, startedAt, length: 1 })),
  }).map(({ index }) => index);

test("a call belongs to the last message of its span", () => {
  expect(placesOf([message(1, "a"), message(2, "a"), message(3, "b")], ["a", 9])).toEqual([1]);
});

test("a call without messages belongs to the last message that was said when it started", () => {
  const messages = [message(10), message(20), message(null), message(15), message(30)];
  expect(placesOf(messages, ["x", 9], ["x", 10], ["x", 19], ["x", 20], ["x", 29], ["x", 99])).toEqual([
    0, 0, 0, 3, 3, 4,
  ]);
});

test("without times, a call belongs to the last message, and without messages to the first place", () => {
  expect(placesOf([message(null), message(null)], ["x", 5])).toEqual([1]);
  expect(placesOf([], ["x", 5])).toEqual([0]);
});
