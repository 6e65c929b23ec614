import { expect, test } from "vitest";
import { provenanceKeyOf, splitOf } from "./index";

test("gives a source one key for each objective", () => {
  const source = { conversationId: "conv_1", turn: 3 };
  const key = provenanceKeyOf({ source, objective: "teach_project_knowledge" });
  expect(provenanceKeyOf({ source: { turn: 3, conversationId: "conv_1" }, objective: "teach_project_knowledge" })).toBe(
    key,
  );
  expect(provenanceKeyOf({ source: { ...source, turn: 4 }, objective: "teach_project_knowledge" })).not.toBe(key);
  expect(provenanceKeyOf({ source, objective: "correct_failed_conversations" })).not.toBe(key);
});

test("splits conversations 80/10/10, each always the same way", () => {
  const counts = { train: 0, validation: 0, test: 0 };
  for (let nth = 0; nth < 10_000; nth++) counts[splitOf(`conv_${nth}`)]++;
  expect(counts.train).toBeGreaterThan(7_850);
  expect(counts.train).toBeLessThan(8_150);
  expect(Math.abs(counts.validation - counts.test)).toBeLessThan(200);
  expect(splitOf("conv_1")).toBe(splitOf("conv_1"));
});
