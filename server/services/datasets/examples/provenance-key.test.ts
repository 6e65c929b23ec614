import { expect, test } from "vitest";
import { provenanceKeyOf } from "./provenance-key";

test("a source has one key for each objective", () => {
  const source = { conversationId: "conv_1", turn: 3 };
  const key = provenanceKeyOf({ source, objective: "teach_project_knowledge" });
  expect(provenanceKeyOf({ source: { turn: 3, conversationId: "conv_1" }, objective: "teach_project_knowledge" })).toBe(
    key,
  );
  expect(provenanceKeyOf({ source: { ...source, turn: 4 }, objective: "teach_project_knowledge" })).not.toBe(key);
  expect(provenanceKeyOf({ source, objective: "correct_failed_conversations" })).not.toBe(key);
});
