import { expect, test } from "vitest";
import { broughtBack, claimed, decided, EMPTY, lost, type Queue } from "./queue";

type Candidate = { id: string };
const [a, b, c] = [{ id: "a" }, { id: "b" }, { id: "c" }];
const done = (candidate: Candidate) => ({ candidate, skipped: false });
const queueOf = (...candidates: Candidate[]) => candidates.reduce<Queue<Candidate>>(claimed, EMPTY);

test("candidates come in the order they were claimed, each once", () => {
  expect(queueOf(a, b, b, a)).toEqual({ current: a, ahead: [b], decided: [] });
  expect(decided(queueOf(a, b))).toEqual({ current: b, ahead: [], decided: [done(a)] });
  expect(decided(decided(queueOf(a)))).toEqual({ current: null, ahead: [], decided: [done(a)] });
});

test("a claim that arrives after its candidate was decided shows nothing, and one that was skipped comes again", () => {
  expect(claimed(decided(queueOf(a, b)), a)).toEqual({ current: b, ahead: [], decided: [done(a)] });
  expect(claimed(decided(queueOf(a, b), true), a)).toMatchObject({ current: b, ahead: [a] });
});

test("a decision that is undone or refused shows its candidate before the others", () => {
  const second = decided(queueOf(a, b, c));
  expect(broughtBack(second, a)).toEqual({ current: a, ahead: [b, c], decided: [] });
  expect(broughtBack(decided(decided(decided(queueOf(a, b, c)))), b)).toEqual({
    current: b,
    ahead: [],
    decided: [done(a), done(c)],
  });
});

test("a candidate that another reviewer took is shown no longer", () => {
  expect(lost(queueOf(a, b, c), "a")).toEqual({ current: b, ahead: [c], decided: [] });
  expect(lost(queueOf(a, b), "b")).toEqual({ current: a, ahead: [], decided: [] });
  expect(lost(queueOf(a), "a")).toEqual(EMPTY);
});
