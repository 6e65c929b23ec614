import { expect, test } from "vitest";
import type { SnapshotFeedback } from "./schemas";
import { feedbackIn } from "./snapshot-feedback";

const given = (messageIndex: number | null, at: number): SnapshotFeedback => ({
  kind: "thumb",
  value: "down",
  scale: null,
  comment: null,
  name: null,
  givenByUser: true,
  messageIndex,
  at,
});
const ALL = [given(1, 900), given(3, 900), given(null, 100), given(null, 900)];

test("the whole conversation has all of its feedback", () => {
  expect(feedbackIn(ALL, { lastActivityAt: 500, positions: [0, 1, 2, 3] }, true)).toEqual(ALL);
});

test("a narrower snapshot has all feedback on its messages, and feedback on the conversation given by its time", () => {
  // The snapshot's messages are the conversation's third and fourth.
  expect(feedbackIn(ALL, { lastActivityAt: 500, positions: [2, 3] }, false)).toEqual([given(1, 900), given(null, 100)]);
});
