import { areaUnderCurve, type DiagnosedSignal } from "@/bench/labelled";

/** One text's result for one Signal: whether its labels say it is present, and what was found. */
export type Verdict = {
  present: boolean;
  found: readonly DiagnosedSignal[];
  correct: (signal: DiagnosedSignal) => boolean;
};

export type Figures = {
  n: number;
  positives: number;
  precision: number | null;
  recall: number | null;
  f1: number | null;
  auc: number | null;
};

export const isMatch = ({ verdict }: DiagnosedSignal) => verdict === "match";

export function figuresOf(verdicts: readonly Verdict[]): Figures {
  let [truePositives, falsePositives, falseNegatives] = [0, 0, 0];
  for (const { present, found } of verdicts) {
    const seen = found.some(isMatch);
    if (seen && present) truePositives++;
    else if (seen) falsePositives++;
    else if (present) falseNegatives++;
  }
  const scored = verdicts.map(({ present, found }) => ({
    positive: present,
    score: Math.max(0, ...found.map(({ score }) => score)),
  }));
  return {
    n: verdicts.length,
    positives: truePositives + falseNegatives,
    precision: ratio(truePositives, truePositives + falsePositives),
    recall: ratio(truePositives, truePositives + falseNegatives),
    f1: ratio(2 * truePositives, 2 * truePositives + falsePositives + falseNegatives),
    auc: areaUnderCurve(scored),
  };
}

export const ratio = (part: number, whole: number) => (whole === 0 ? null : part / whole);

export function groupBy<Item>(items: readonly Item[], key: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}
