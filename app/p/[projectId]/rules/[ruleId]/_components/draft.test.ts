import { expect, test } from "vitest";
import { type Draft, patchOf, withOverride } from "./draft";

const SAVED: Draft = {
  keywords: ["refund"],
  minSignalScore: 0.3,
  minDiagnosticConfidence: 0.5,
  adjudicationMode: "deterministic-only",
  adjudicationModel: null,
  sampleRate: 1,
  signalOverrides: { tool_error: { severity: "low" } },
};

test("an unchanged draft has no patch", () => {
  expect(patchOf(SAVED, { ...SAVED, keywords: ["refund"] })).toBeNull();
});

test("a patch has only the fields that changed", () => {
  expect(patchOf(SAVED, { ...SAVED, keywords: [], minSignalScore: 0.6 })).toEqual({
    keywords: [],
    minSignalScore: 0.6,
  });
});

test("a patch has only the overrides that were changed or removed", () => {
  const off = withOverride(SAVED, "tool_timeout", { enabled: false });
  expect(patchOf(SAVED, off)).toEqual({ signalOverrides: { tool_timeout: { enabled: false, severity: null } } });
  const back = withOverride(SAVED, "tool_error", { severity: undefined });
  expect(patchOf(SAVED, back)).toEqual({ signalOverrides: { tool_error: { enabled: null, severity: null } } });
  expect(withOverride(off, "tool_timeout", { enabled: undefined })).toEqual(SAVED);
});
