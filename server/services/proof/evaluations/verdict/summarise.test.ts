import { expect, test } from "vitest";
import type { AnswerRight } from "../schemas";
import { type AnsweredRow, outcomeOf, proofOf, type SideState, stateOf, verdictOf } from "./summarise";

const BASIS = { floors: [], tries: 1, isSeen: false };
const NOT_RIGHT: AnswerRight = { right: false, by: "unlike" };

/** A row with these answers; `by` is how right ones were decided. */
function row(
  n: number,
  before: SideState,
  after: SideState,
  rest: Partial<AnsweredRow> & { by?: AnswerRight["by"] } = {},
) {
  const { by = "match", ...more } = rest;
  const decided = (state: SideState) =>
    state === "right" ? { right: true, by } : state === "gone_not_right" ? NOT_RIGHT : null;
  return {
    n,
    outcome: null,
    reason: "x",
    scoreBefore: null,
    scoreAfter: null,
    isFoundBefore: before === "still_there",
    isFoundAfter: after === "still_there",
    groupNumber: n,
    rightness: { before: decided(before), after: decided(after) },
    reviews: [],
    ...more,
  } satisfies AnsweredRow;
}
type More = Parameters<typeof row>[3];
const rows = (count: number, before: SideState, after: SideState, rest: (n: number) => More = () => ({}), from = 0) =>
  Array.from({ length: count }, (_, n) => row(from + n, before, after, rest(n)));
const judged = (all: readonly AnsweredRow[], basis = BASIS) => {
  const proof = proofOf(all, basis);
  return { ...verdictOf(proof, basis), right: proof.right! };
};

test("an answer is right only without the Finding, and unknown where nobody can tell", () => {
  expect(stateOf(true, true)).toBe("still_there");
  expect(stateOf(false, true)).toBe("right");
  expect(stateOf(false, false)).toBe("gone_not_right");
  expect(stateOf(false, null)).toBe("not_judged");
});

test("only a right answer wins", () => {
  expect(outcomeOf({ before: "still_there", after: "right" })).toEqual({ outcome: "win", reason: "right_now" });
  expect(outcomeOf({ before: "still_there", after: "gone_not_right" }).outcome).toBe("tie");
  expect(outcomeOf({ before: "still_there", after: "not_judged" }).outcome).toBe("tie");
  expect(outcomeOf({ before: "right", after: "gone_not_right" }).outcome).toBe("loss");
  expect(outcomeOf({ before: "gone_not_right", after: "still_there" }).outcome).toBe("loss");
});

test("a Finding that is gone from every answer proves nothing if the answers are wrong", () => {
  const { verdict, right } = judged(rows(11, "still_there", "gone_not_right"));
  expect(verdict).not.toBe("proven");
  expect(right).toMatchObject({ gained: 0, after: { right: 0, goneNotRight: 11 }, trades: true });
});

test("four right answers of ten are not enough, and six are", () => {
  const of = (gained: number) =>
    judged([
      ...rows(gained, "still_there", "right"),
      ...rows(10 - gained, "still_there", "still_there", () => ({}), gained),
    ]);
  expect(of(4)).toMatchObject({ verdict: "not_enough", because: "unclear", right: { gainsMissing: 2 } });
  expect(of(6)).toMatchObject({ verdict: "proven", because: null, right: { gainsMissing: 0 } });
  expect(of(6).right.difference!.low).toBeCloseTo(0.1559, 4);
});

test("the second variant on the same rows needs more", () => {
  const six = [...rows(6, "still_there", "right"), ...rows(4, "still_there", "still_there", () => ({}), 6)];
  expect(judged(six, { ...BASIS, tries: 2 })).toMatchObject({ verdict: "not_enough", right: { gainsMissing: 2 } });
});

test("rows of one template prove less than as many different ones", () => {
  const alike = rows(12, "still_there", "right", (n) => ({ groupNumber: n < 10 ? 0 : n }));
  expect(judged(alike).right).toMatchObject({ n: 12, groups: 3 });
  expect(judged(rows(12, "still_there", "right", () => ({ groupNumber: 7 })))).toMatchObject({ verdict: "not_enough" });
});

test("rows that the models have seen prove nothing", () => {
  const seen = judged(rows(12, "still_there", "right"), { ...BASIS, isSeen: true });
  expect(seen).toMatchObject({ verdict: "not_enough", because: "seen_in_training" });
});

test("answers that nobody judged are counted and prove nothing", () => {
  const { verdict, because, right } = judged(rows(12, "still_there", "not_judged"));
  expect([verdict, because, right.n, right.after.notJudged]).toEqual(["not_enough", "no_judgement", 0, 12]);
});

test("what only a machine called right has to be checked by people at random", () => {
  const similar = (reviewed: number, isRandom: boolean) =>
    judged(
      rows(12, "still_there", "right", (n) => ({
        by: "similar",
        reviews: n < reviewed ? [{ isRightBefore: false, isRightAfter: true, isRandom }] : [],
      })),
    );
  expect(similar(11, true)).toMatchObject({ verdict: "not_enough", because: "unchecked", right: { checksNeeded: 12 } });
  expect(similar(12, false)).toMatchObject({ because: "unchecked", right: { reviewed: 12, checked: 0 } });
  expect(similar(12, true)).toMatchObject({ verdict: "proven", right: { checked: 12 } });
});

test("a person overrules, and the interval follows", () => {
  const no = [{ isRightBefore: false, isRightAfter: false, isRandom: false }];
  const found = judged(rows(12, "still_there", "right", (n) => ({ reviews: n < 8 ? no : [] })));
  expect(found).toMatchObject({ verdict: "not_enough", right: { gained: 4, decidedBy: { person: 16, match: 4 } } });
});

test("a model that is no better is not proven once enough rows say so", () => {
  expect(judged(rows(30, "still_there", "still_there"))).toMatchObject({ verdict: "not_proven", because: "unclear" });
});

test("reviewers who judge the same answers show how far they agree", () => {
  const review = (isRightAfter: boolean) => ({ isRightBefore: false, isRightAfter, isRandom: true });
  const found = judged(rows(4, "still_there", "right", (n) => ({ reviews: [review(true), review(n > 0)] })));
  expect(found.right.agreement).toMatchObject({ judgements: 8, share: 7 / 8 });
});
