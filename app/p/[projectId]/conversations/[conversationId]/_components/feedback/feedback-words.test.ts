import { expect, test } from "vitest";
import { type FeedbackData, feedbackByMessage, feedbackSummary, feedbackText, feedbackTitle } from "./feedback-words";

const given = (more: Partial<FeedbackData>): FeedbackData => ({
  id: "fbk_1",
  conversationId: "conv_1",
  conversationExternalId: null,
  traceId: null,
  spanId: null,
  kind: "thumb",
  value: "down",
  scale: null,
  comment: null,
  name: null,
  source: "api",
  evaluatorKind: "human",
  givenByUser: true,
  messageIndex: null,
  givenAt: 0,
  ...more,
});

test("feedback has a title for its kind and value, and the text that was written", () => {
  expect(feedbackTitle(given({}))).toBe("Thumbs down");
  expect(feedbackTitle(given({ kind: "score", value: 2, scale: { min: 1, max: 5 } }))).toBe("Score 2 of 1 to 5");
  expect(feedbackTitle(given({ kind: "score", value: 0.2, name: "toxicity" }))).toBe("toxicity 0.2");
  expect(feedbackTitle(given({ kind: "correction", value: "Saturday" }))).toBe("Correction");
  expect(feedbackText(given({ kind: "correction", value: "Saturday" }))).toBe("Saturday");
  expect(feedbackText(given({ comment: "Wrong order" }))).toBe("Wrong order");
  expect(feedbackText(given({}))).toBeNull();
});

test("feedback is grouped by message, oldest first, and summarized", () => {
  const all = [
    given({ kind: "comment", value: "Slow", messageIndex: 1 }),
    given({ messageIndex: 1 }),
    given({ messageIndex: null }),
  ];
  expect(
    feedbackByMessage(all)
      .get(1)
      ?.map(({ kind }) => kind),
  ).toEqual(["thumb", "comment"]);
  expect(feedbackByMessage(all).get(null)).toHaveLength(1);
  expect(feedbackSummary(all)).toBe("2 thumbs down, 1 comment");
  expect(feedbackSummary([])).toBe("");
});
