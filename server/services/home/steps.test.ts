import { expect, test } from "vitest";
import { stepsOf } from "./steps";

const NEW = { hasConversations: false, wasDiagnosed: false, wasReviewed: false, findingsForReview: 0 };
const NO_WORK = {
  candidates: 0,
  hasExamples: false,
  hasTrainer: false,
  jobsRunning: 0,
  wasTrained: false,
  evaluationsRunning: 0,
  wasProven: false,
};
const statesOf = (...given: Parameters<typeof stepsOf>) => stepsOf(...given).map(({ state }) => state);

test("in an empty project everything is to be done, and training says that it needs a trainer", () => {
  expect(statesOf(NEW, NO_WORK)).toEqual(["to_do", "to_do", "to_do", "to_do", "missing", "to_do"]);
  expect(statesOf(NEW, { ...NO_WORK, hasTrainer: true })).toEqual(Array(6).fill("to_do"));
});

test("what waits counts before what was done", () => {
  const known = { hasConversations: true, wasDiagnosed: true, wasReviewed: true, findingsForReview: 12 };
  const steps = stepsOf(known, { ...NO_WORK, candidates: 34, hasExamples: true, jobsRunning: 1, wasProven: true });
  expect(steps).toEqual([
    { name: "send", state: "done", count: null },
    { name: "diagnose", state: "done", count: null },
    { name: "review", state: "waiting", count: 12 },
    { name: "collect", state: "waiting", count: 34 },
    { name: "train", state: "running", count: 1 },
    { name: "prove", state: "done", count: null },
  ]);
});

test("a training without a trainer, as the sample's, was still done", () => {
  expect(statesOf(NEW, { ...NO_WORK, wasTrained: true, wasProven: true }).slice(4)).toEqual(["done", "done"]);
});

test("what a caller may not read is unknown", () => {
  expect(statesOf(NEW, null).slice(3)).toEqual([null, null, null]);
});
