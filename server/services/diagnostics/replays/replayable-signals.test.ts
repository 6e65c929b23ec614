import { expect, test } from "vitest";
import { RULES } from "../rules";
import { whyNotReplayable } from "./replayable-signals";

test("every Signal of every Rule is either replayable or has a reason why not", () => {
  const unknown = RULES.flatMap(({ id, detectors }) => detectors.map(({ signal }) => [id, signal] as const)).filter(
    ([id, signal]) => whyNotReplayable(id, signal)?.includes("not part of this version"),
  );
  expect(unknown).toEqual([]);
});

test("Signals about answers can be replayed, and Signals about tools, users and providers cannot", () => {
  expect(whyNotReplayable("broken-response", "empty_response")).toBeNull();
  expect(whyNotReplayable("refusal", "keyword")).toBeNull();
  expect(whyNotReplayable("tool-failure", "tool_error")).toMatch(/calls no tools/);
  expect(whyNotReplayable("user-correction", "explicit_correction")).toMatch(/users or tools wrote/);
  expect(whyNotReplayable("provider-health", "rate_limited")).toMatch(/provider/);
  expect(whyNotReplayable("ungrounded-answer", "unsupported_claim")).toMatch(/adjudicator/);
  expect(whyNotReplayable("removed-rule", "keyword")).toMatch(/Rule is not part/);
});
