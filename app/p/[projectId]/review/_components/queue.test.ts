import { expect, test } from "vitest";
import { broughtBack, claimed, decided, EMPTY, lost, type Queue } from "./queue";

type Candidate = { id: string };
const [a, b, c] = [{ id: "a" }, { id: "b" }, { id: "c" }];
const done = (candidate: Candidate) => ({ candidate, skipped: false });
const queueOf = (...candidates: Candidate[]) => candidates.reduce<Queue<Candidate>>(claimed, EMPTY);

test("Candidates are shown once each, in the order they were claimed", () => {
  expect(queueOf(a, b, b, a)).toEqual({ current: a, ahead: [b], decided: [] });
  expect(decided(queueOf(a, b))).toEqual({ current: b, ahead: [], decided: [done(a)] });
  expect(decided(decided(queueOf(a)))).toEqual({ current: null, ahead: [], decided: [done(a)] });
});

test("a claim of a decided Candidate is ignored, and a skipped one is queued again", () => {
  expect(claimed(decided(queueOf(a, b)), a)).toEqual({ current: b, ahead: [], decided: [done(a)] });
  expect(claimed(decided(queueOf(a, b), true), a)).toMatchObject({ current: b, ahead: [a] });
});

test("the Candidate of an undone or refused decision is shown before the others", () => {
  const second = decided(queueOf(a, b, c));
  expect(broughtBack(second, a)).toEqual({ current: a, ahead: [b, c], decided: [] });
  expect(broughtBack(decided(decided(decided(queueOf(a, b, c)))), b)).toEqual({
    current: b,
    ahead: [],
    decided: [done(a), done(c)],
  });
});

test("a Candidate that another reviewer took is removed from the queue", () => {
  expect(lost(queueOf(a, b, c), "a")).toEqual({ current: b, ahead: [c], decided: [] });
  expect(lost(queueOf(a, b), "b")).toEqual({ current: a, ahead: [], decided: [] });
  expect(lost(queueOf(a), "a")).toEqual(EMPTY);
});
