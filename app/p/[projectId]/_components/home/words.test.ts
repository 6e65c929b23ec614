import { expect, test } from "vitest";
import { HOME_STEP_STATES, HOME_STEPS } from "@/server/services/home/schemas";
import { type HomeData, nextOf, STEP_STATES, STEPS, waitingIn } from "./words";

const NONE = { count: 0, more: false };
const home = (changes: object = {}) =>
  ({
    findings: { review: NONE, regressed: NONE, escalating: NONE },
    failedRuns: NONE,
    work: null,
    costs: null,
    ...changes,
  }) as unknown as HomeData;

test("only what there is waits, and what the reader may not see is not named", () => {
  expect(waitingIn("prj_1", home())).toEqual([]);
  const some = home({
    findings: {
      review: { count: 1000, more: true },
      regressed: { count: 2, more: false },
      escalating: { count: 1, more: false },
    },
    work: { candidates: 34, failedJobs: null },
    costs: { unpricedModels: 1 },
  });
  expect(waitingIn("prj_1", some).map(({ words, href }) => [words, href])).toEqual([
    ["2 Findings regressed", "/p/prj_1/findings?tab=regressed"],
    ["1 Finding escalates", "/p/prj_1/findings?tab=escalating"],
    ["1,000+ Findings to review", "/p/prj_1/findings"],
    ["34 candidates to review", "/p/prj_1/review"],
    ["1 model without a price", "/p/prj_1/prices"],
  ]);
});

test("every step has words and a next action in every state", () => {
  expect(Object.keys(STEPS)).toEqual([...HOME_STEPS]);
  expect(Object.keys(STEP_STATES)).toEqual([...HOME_STEP_STATES]);
  for (const name of HOME_STEPS) {
    for (const state of [...HOME_STEP_STATES, null]) {
      expect(nextOf("prj_1", { name, state, count: 2 }).words).not.toBe("");
    }
  }
  expect(nextOf("prj_1", { name: "train", state: "missing", count: null })).toEqual({
    words: "Attach a trainer",
    href: "/p/prj_1/trainers",
  });
  expect(nextOf("prj_1", { name: "collect", state: "waiting", count: 34 }).words).toBe("Review 34 candidates");
});
