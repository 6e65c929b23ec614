import { formatCount, formatPercent, plural } from "@/app/_lib/format";
import type { Evaluation, EvaluationRow, ShareInterval } from "@/server/services/fine-tuning/evaluations/schemas";

type Word = { word: string; color: string; hollow?: true };

export const STATUS: Record<Evaluation["status"], Word> = {
  queued: { word: "Queued", color: "var(--severity-info)", hollow: true },
  running: { word: "Running", color: "var(--severity-low)" },
  succeeded: { word: "Done", color: "var(--state-ok)" },
  failed: { word: "Failed", color: "var(--severity-critical)" },
  cancelled: { word: "Cancelled", color: "var(--severity-info)" },
};

export const VERDICT: Record<NonNullable<Evaluation["verdict"]>, Word & { says: string }> = {
  proven: {
    word: "Proven",
    color: "var(--state-ok)",
    says: "The rate fell: the whole 95% interval of the difference lies below zero.",
  },
  not_proven: {
    word: "Not proven",
    color: "var(--severity-medium)",
    says: "The 95% interval of the difference is not entirely below zero: the rate may not have fallen.",
  },
  not_enough: {
    word: "Not enough yet",
    color: "var(--severity-info)",
    says: "Too few conversations were replayed for a verdict.",
  },
};

export type Outcome = NonNullable<EvaluationRow["outcome"]>;
export const OUTCOME: Record<Outcome, Word> = {
  win: { word: "Win", color: "var(--state-ok)" },
  tie: { word: "Tie", color: "var(--severity-info)" },
  loss: { word: "Loss", color: "var(--severity-critical)" },
};
export const OUTCOMES = Object.keys(OUTCOME) as Outcome[];

/** By reason, or by reason and outcome where the reason is about one of the two answers. */
const REASONS: Record<string, string> = {
  "matches_expected win": "Only “After” gave the expected answer",
  "matches_expected loss": "Only “Before” gave the expected answer",
  both_match: "Both gave the expected answer",
  "empty win": "“Before” is empty",
  "empty loss": "“After” is empty",
  "cut_off win": "“Before” is cut off",
  "cut_off loss": "“After” is cut off",
  "not_json win": "“Before” is not the expected JSON",
  "not_json loss": "“After” is not the expected JSON",
  "other_language win": "“Before” is in another language",
  "other_language loss": "“After” is in another language",
  "closer win": "“After” is closer to the expected answer",
  "closer loss": "“Before” is closer to the expected answer",
  equally_close: "Both are about equally close to the expected answer",
  fixed: "Found before, not after",
  still_found: "Found before and after",
  newly_found: "Found after, not before",
  never_found: "Found neither before nor after",
  no_answer: "No answer: this prompt crashed the trainer",
};
/** A reason that this version does not know is shown as it is stored. */
export const reasonWords = ({ reason, outcome }: Pick<EvaluationRow, "reason" | "outcome">) =>
  reason === null ? "" : (REASONS[`${reason} ${outcome}`] ?? REASONS[reason] ?? reason.replaceAll("_", " "));

/** The words for a reason where all rows are counted, whichever answer it was about. */
const COUNTED: Record<string, string> = {
  matches_expected: "One answer is the expected one",
  both_match: "Both gave the expected answer",
  empty: "One answer is empty",
  cut_off: "One answer is cut off",
  not_json: "One answer is not the expected JSON",
  other_language: "One answer is in another language",
  closer: "One answer is closer to the expected one",
  equally_close: "Both are about equally close",
  no_answer: "No answer",
};
export const countedWords = (reason: string) => COUNTED[reason] ?? reason.replaceAll("_", " ");

export const isUnfinished = ({ status }: Pick<Evaluation, "status">) => status === "queued" || status === "running";

export const intervalWords = ({ low, high }: ShareInterval) => `${formatPercent(low)} to ${formatPercent(high)}`;

/** `−42 points`: a difference of two shares. */
export const pointsWords = (difference: number) => {
  const points = Math.round(difference * 100);
  return `${points < 0 ? "−" : points > 0 ? "+" : ""}${formatCount(Math.abs(points))}`;
};

/** What was compared and what was left out, in sentences. */
export function selectionWords({ kind, selection, datasetVersion }: Evaluation): string[] {
  if (selection === null) return [];
  const { selected, splits, available, trainedOn, notText, changed, preserveSetOnly } = selection;
  const more = available !== null && available > selected ? ` of ${formatCount(available)}` : "";
  const left = [
    ...(trainedOn > 0 ? [`${formatCount(trainedOn)} because a model was trained on them`] : []),
    ...(notText > 0 ? [`${formatCount(notText)} because they use tools or have no text answer`] : []),
    ...(changed > 0 ? [`${formatCount(changed)} because the Rule no longer reports their recorded answer`] : []),
  ];
  const without = left.length === 0 ? [] : [`Left out: ${left.join(", ")}.`];
  if (kind === "finding") {
    return [
      `${plural(selected, "conversation")}${more} with the Finding, each up to the faulty answer.`,
      ...without,
      "These conversations were chosen because they failed, so the rates apply to them, not to all traffic. Both rates are measured on new answers from both models, so a failure that happened by chance does not count as fixed.",
    ];
  }
  const from =
    splits === null
      ? ""
      : `: ${formatCount(splits.test)} from the test split, ${formatCount(splits.validation)} from the validation split`;
  return [
    `${plural(selected, "Example")}${more} that ${selected === 1 ? "was" : "were"} held out from version ${formatCount(datasetVersion)}${from}.`,
    ...(preserveSetOnly ? ["Only Examples that preserve successful behaviour."] : []),
    ...without,
    ...(splits !== null && splits.validation > 0
      ? ["The validation split was already used to choose the best checkpoint, so its result is slightly optimistic."]
      : []),
  ];
}
