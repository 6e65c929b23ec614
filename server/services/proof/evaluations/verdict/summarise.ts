import { wilson } from "@/server/services/diagnostics";
import {
  type AnswerRight,
  type Comparison,
  type Evaluation,
  PROOF_REPLAYS_MIN,
  type Proof,
  type Rightness,
  type RowRightness,
  type ShareInterval,
  type SimilarityFloor,
} from "../schemas";
import {
  agreementOf,
  alphaOf,
  correctedMean,
  gainsNeeded,
  groupedDifference,
  mcnemar,
  pairedDifference,
} from "./paired";

/** What one person says of both answers to a row. */
export type Review = { isRightBefore: boolean; isRightAfter: boolean; isRandom: boolean };

/** The fields of an answered row that a summary needs. */
export type AnsweredRow = {
  n: number;
  outcome: "win" | "tie" | "loss" | null;
  reason: string | null;
  scoreBefore: number | null;
  scoreAfter: number | null;
  isFoundBefore: boolean | null;
  isFoundAfter: boolean | null;
  groupNumber: number | null;
  rightness: RowRightness | null;
  /** Newest first. */
  reviews: readonly Review[];
};

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Counts the outcomes of rows, with the shares of wins and losses and the mean similarity to the expected answers. */
export function comparisonOf(rows: readonly AnsweredRow[]): Comparison {
  const count = (wanted: AnsweredRow["outcome"]) => rows.filter(({ outcome }) => outcome === wanted).length;
  const [win, tie, loss] = [count("win"), count("tie"), count("loss")];
  const conversations = win + tie + loss;
  const scores = rows.flatMap(({ scoreBefore, scoreAfter }) =>
    scoreBefore === null || scoreAfter === null ? [] : [{ scoreBefore, scoreAfter }],
  );
  const before = mean(scores.map(({ scoreBefore }) => scoreBefore));
  const after = mean(scores.map(({ scoreAfter }) => scoreAfter));
  const reasons = new Map<string, number>();
  for (const { reason } of rows) if (reason !== null) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  return {
    win,
    tie,
    loss,
    winShare: wilson({ affected: win, conversations }),
    lossShare: wilson({ affected: loss, conversations }),
    score: scores.length === 0 ? null : { before, after, drop: before - after },
    reasons: Object.fromEntries(reasons),
    right: pairsOf(rows, (row) => {
      const { before: was, after: is } = rightOf(row);
      return was === null || is === null ? null : { before: was, after: is };
    }),
  };
}

/** Returns what counts of a row: the newest person's word, else what was decided without people. */
export function effectiveRightness({ rightness, reviews }: Pick<AnsweredRow, "rightness" | "reviews">): RowRightness {
  const [review] = reviews;
  if (!review) return rightness ?? { before: null, after: null };
  return {
    before: { right: review.isRightBefore, by: "person" },
    after: { right: review.isRightAfter, by: "person" },
  };
}

function rightOf(row: AnsweredRow): { before: boolean | null; after: boolean | null } {
  const { before, after } = effectiveRightness(row);
  return { before: before?.right ?? null, after: after?.right ?? null };
}

export type SideState = "right" | "gone_not_right" | "still_there" | "not_judged";

/** Returns what became of an answer: it is right only if it is also without the Finding. */
export function stateOf(isFound: boolean | null, right: boolean | null): SideState {
  if (isFound !== false) return isFound === null ? "not_judged" : "still_there";
  if (right === null) return "not_judged";
  return right ? "right" : "gone_not_right";
}

type State = { before: SideState; after: SideState };
const statesOf = (row: AnsweredRow): State => {
  const { before, after } = rightOf(row);
  return { before: stateOf(row.isFoundBefore, before), after: stateOf(row.isFoundAfter, after) };
};

/** Outcome and reason of a replay: it is won only by a right answer. */
export function outcomeOf({ before, after }: State): { outcome: "win" | "tie" | "loss"; reason: string } {
  if (after === "still_there") {
    return before === "still_there"
      ? { outcome: "tie", reason: "still_found" }
      : { outcome: "loss", reason: "newly_found" };
  }
  if (before === "right" || after === "right") {
    if (before === after) return { outcome: "tie", reason: "both_right" };
    if (before === "not_judged" || after === "not_judged") return { outcome: "tie", reason: "not_judged" };
    return after === "right" ? { outcome: "win", reason: "right_now" } : { outcome: "loss", reason: "right_before" };
  }
  if (after === "not_judged") return { outcome: "tie", reason: "not_judged" };
  return { outcome: "tie", reason: before === "still_there" ? "gone_not_right" : "never_right" };
}

type Pair = { before: boolean; after: boolean };

function pairsOf(rows: readonly AnsweredRow[], pairOf: (row: AnsweredRow) => Pair | null) {
  const pairs = rows.flatMap((row) => {
    const pair = pairOf(row);
    return pair === null ? [] : [{ ...pair, group: row.groupNumber ?? -1 - row.n }];
  });
  const gained = pairs.filter(({ before, after }) => !before && after).length;
  const lost = pairs.filter(({ before, after }) => before && !after).length;
  return {
    n: pairs.length,
    groups: new Set(pairs.map(({ group }) => group)).size,
    gained,
    lost,
    difference: groupedDifference(
      pairs.map(({ before, after, group }) => ({ gain: (Number(after) - Number(before)) as -1 | 0 | 1, group })),
    ),
    p: mcnemar({ lost, gained }),
  };
}

/** What a proof knows besides its rows. */
export type ProofBasis = { floors: readonly SimilarityFloor[]; tries: number; isSeen: boolean };

/** Of answers that only a machine called right or, if it was a model, not right, people check this many at random, or all. */
const CHECKS_MIN = 30;
const isByMachine = (one: AnswerRight | null | undefined) =>
  (one?.by === "similar" && one.right === true) || (one?.by === "model" && one.right !== null);

function rightnessOf(rows: readonly AnsweredRow[], { floors, tries }: ProofBasis): Rightness {
  const states = rows.map(statesOf);
  const counted = (row: AnsweredRow) => {
    const { before, after } = statesOf(row);
    return before === "not_judged" || after === "not_judged" ? null : { before, after };
  };
  const pairs = (wanted: SideState) =>
    pairsOf(rows, (row) => {
      const state = counted(row);
      return state && { before: state.before === wanted, after: state.after === wanted };
    });
  const right = pairs("right");
  const faults = pairs("gone_not_right");
  const side = (which: "before" | "after") => {
    const count = (state: SideState) => states.filter((one) => one[which] === state).length;
    const affected = rows.filter((row) => counted(row)?.[which] === "right").length;
    return {
      right: count("right"),
      goneNotRight: count("gone_not_right"),
      stillThere: count("still_there"),
      notJudged: count("not_judged"),
      share: wilson({ affected, conversations: right.n }),
    };
  };
  const decidedBy = new Map<string, number>();
  const decided = rows.flatMap((row) => Object.values(effectiveRightness(row)).flatMap((one) => one ?? []));
  for (const { by } of decided) decidedBy.set(by, (decidedBy.get(by) ?? 0) + 1);
  const byMachine = rows.filter(({ rightness }) => [rightness?.before, rightness?.after].some(isByMachine));
  const random = rows.filter(({ reviews }) => reviews.some(({ isRandom }) => isRandom));
  const isChosen = rows.some(({ reviews }) => reviews.length > 0 && !reviews.some(({ isRandom }) => isRandom));
  // Rows that people picked to judge say nothing about those that they left.
  const isPartial =
    isChosen && states.some(({ before: was, after: is }) => was === "not_judged" || is === "not_judged");
  return {
    ...right,
    before: side("before"),
    after: side("after"),
    gainsMissing: Math.max(0, gainsNeeded(right.lost, tries) - right.gained),
    tries,
    trades: faults.gained > faults.lost && faults.p < alphaOf(1),
    decidedBy: Object.fromEntries(decidedBy),
    floors: [...floors],
    reviewed: rows.filter(({ reviews }) => reviews.length > 0).length,
    checked: random.length,
    checksNeeded: byMachine.length === 0 && !isPartial ? 0 : Math.min(CHECKS_MIN, rows.length),
    corrected: correctedOf(rows, ({ after }) => Number(after), [0, 1]),
    correctedDifference: correctedOf(rows, ({ before, after }) => Number(after) - Number(before), [-1, 1]),
    agreement: agreementIn(rows),
  };
}

/** Returns the mean of a figure of right answers with what people say of random rows as its correction. */
function correctedOf(
  rows: readonly AnsweredRow[],
  figureOf: (right: Pair) => number,
  limits: readonly [number, number],
): ShareInterval | null {
  const judged = rows.flatMap((row) => {
    const { isFoundBefore, isFoundAfter, rightness } = row;
    const isOpen = (isFound: boolean | null, one: AnswerRight | null | undefined) =>
      isFound === null || (!isFound && (one?.right ?? null) === null);
    if (isOpen(isFoundAfter, rightness?.after)) return [];
    const figure = (before: boolean, after: boolean) =>
      figureOf({ before: isFoundBefore === false && before, after: isFoundAfter === false && after });
    const review = row.reviews.find(({ isRandom }) => isRandom);
    const judge = figure(rightness?.before?.right ?? false, rightness?.after?.right ?? false);
    return [{ judge, person: review && figure(review.isRightBefore, review.isRightAfter) }];
  });
  return correctedMean({
    judged: judged.map(({ judge }) => judge),
    checked: judged.flatMap(({ judge, person }) => (person === undefined ? [] : [{ judge, person }])),
    limits,
  });
}

/** Compares the two newest reviewers of each row, by both answers. */
function agreementIn(rows: readonly AnsweredRow[]) {
  const pairs = rows.flatMap(({ reviews: [one, other] }) =>
    one && other
      ? [
          [one.isRightBefore, other.isRightBefore],
          [one.isRightAfter, other.isRightAfter],
        ]
      : [],
  );
  const count = (holds: (a: boolean, b: boolean) => boolean) => pairs.filter(([a, b]) => holds(a!, b!)).length;
  const found = agreementOf({
    bothYes: count((a, b) => a && b),
    bothNo: count((a, b) => !a && !b),
    apart: count((a, b) => a !== b),
  });
  return found && { judgements: pairs.length, ...found };
}

/**
 * Counts in how many replays the Finding occurred before and after and in how many the answer was right, with the intervals of
 * the rates and their differences.
 */
export function proofOf(rows: readonly AnsweredRow[], basis: ProofBasis): Proof {
  const judged = rows.filter(({ isFoundBefore, isFoundAfter }) => isFoundBefore !== null && isFoundAfter !== null);
  const count = (before: boolean, after: boolean) =>
    judged.filter((row) => row.isFoundBefore === before && row.isFoundAfter === after).length;
  const [both, fixed, broken] = [count(true, true), count(true, false), count(false, true)];
  const [foundBefore, foundAfter] = [both + fixed, both + broken];
  const conversations = judged.length;
  return {
    n: conversations,
    foundBefore,
    foundAfter,
    fixed,
    broken,
    before: wilson({ affected: foundBefore, conversations }),
    after: wilson({ affected: foundAfter, conversations }),
    difference: pairedDifference({ lost: fixed, gained: broken, n: conversations }),
    replaysNeeded: PROOF_REPLAYS_MIN,
    right: rightnessOf(judged, basis),
    because: null,
  };
}

type Verdict = { verdict: NonNullable<Evaluation["verdict"]>; because: Proof["because"] };

/**
 * Returns a verdict and what keeps it from being “proven”: that takes clearly more right answers, by the paired test and by the
 * lower limit of their interval, on rows that no model has seen, checked by people where a machine called them right.
 */
export function verdictOf({ right }: Proof, { isSeen }: Pick<ProofBasis, "isSeen">): Verdict {
  const none = (because: Proof["because"]): Verdict => ({ verdict: "not_enough", because });
  if (right === null) return none("measured_before");
  if (isSeen) return none("seen_in_training");
  const { n, difference, gained, lost, p, tries, before, checked, checksNeeded, correctedDifference } = right;
  if (n === 0 || difference === null) return none("no_judgement");
  const isProven = gained > lost && p < alphaOf(tries) && difference.low > 0;
  if (isProven) {
    if (checked < checksNeeded) return none("unchecked");
    // What people say of a random part has to bear out what the machine says of the rest.
    const isBorneOut = checksNeeded === 0 || checked >= n || (correctedDifference?.low ?? 1) > 0;
    if (isBorneOut) return { verdict: "proven", because: null };
  }
  if (n < PROOF_REPLAYS_MIN) return none("too_few");
  const notRightBefore = 1 - (before.share?.rate ?? 0);
  if (difference.high < notRightBefore / 2) return { verdict: "not_proven", because: "unclear" };
  return none("unclear");
}
