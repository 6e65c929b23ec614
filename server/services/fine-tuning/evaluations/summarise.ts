import { wilson } from "@/server/services/diagnostics";
import { pairedDifference } from "./intervals";
import { type Comparison, type Evaluation, PROOF_REPLAYS_MIN, type Proof } from "./schemas";

/** The fields of an answered row that a summary needs. */
export type AnsweredRow = {
  outcome: "win" | "tie" | "loss" | null;
  reason: string | null;
  scoreBefore: number | null;
  scoreAfter: number | null;
  isFoundBefore: boolean | null;
  isFoundAfter: boolean | null;
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
  };
}

/** Counts in how many replays the Finding occurred before and after, with the intervals of both rates and their difference. */
export function proofOf(rows: readonly AnsweredRow[]): Proof {
  const judged = rows.filter(({ isFoundBefore, isFoundAfter }) => isFoundBefore !== null && isFoundAfter !== null);
  const count = (before: boolean, after: boolean) =>
    judged.filter((row) => row.isFoundBefore === before && row.isFoundAfter === after).length;
  const pairs = {
    both: count(true, true),
    onlyBefore: count(true, false),
    onlyAfter: count(false, true),
    neither: count(false, false),
  };
  const [foundBefore, foundAfter] = [pairs.both + pairs.onlyBefore, pairs.both + pairs.onlyAfter];
  const conversations = judged.length;
  return {
    n: conversations,
    foundBefore,
    foundAfter,
    fixed: pairs.onlyBefore,
    broken: pairs.onlyAfter,
    before: wilson({ affected: foundBefore, conversations }),
    after: wilson({ affected: foundAfter, conversations }),
    difference: pairedDifference(pairs),
    replaysNeeded: PROOF_REPLAYS_MIN,
  };
}

/** Returns a verdict: proven only if the whole interval of the difference is below zero, and never with few replays. */
export function verdictOf({ n, difference }: Proof): NonNullable<Evaluation["verdict"]> {
  if (n < PROOF_REPLAYS_MIN || difference === null) return "not_enough";
  return difference.high < 0 ? "proven" : "not_proven";
}
