import { formatCount, formatPercent, plural } from "@/app/_lib/format";
import type {
  AnswerRight,
  Evaluation,
  EvaluationRow,
  Proof,
  ShareInterval,
} from "@/server/services/proof/evaluations/schemas";

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
    says: "The Finding is gone and more answers are right: by a paired test, and by the lower limit of the interval.",
  },
  not_proven: {
    word: "Not proven",
    color: "var(--severity-medium)",
    says: "Whatever is still possible, less than half of the wrong answers became right.",
  },
  not_enough: { word: "Not enough yet", color: "var(--severity-info)", says: "" },
};

/** What became of an answer, best first. */
export const STATES = [
  { name: "right", word: "Right", color: "var(--state-ok)" },
  { name: "goneNotRight", word: "Gone, not right", color: "var(--severity-medium)" },
  { name: "stillThere", word: "Still there", color: "var(--severity-critical)" },
  { name: "notJudged", word: "Not judged", color: "var(--severity-info)" },
] as const;

const DECIDED: Record<string, string> = {
  match: "the same as the reference",
  similar: "similar, no fact contradicts",
  unlike: "unlike the reference",
  contradicts: "similar, but a fact contradicts",
  another: "the answer to another question",
  model: "by the judging model",
  person: "by people",
};
export const decidedWords = (decidedBy: Readonly<Record<string, number>>): string => {
  const counted = Object.entries(decidedBy).toSorted(([, a], [, b]) => b - a);
  return counted.length === 0
    ? "No answer could be judged: no held-out Example says what is right in these conversations."
    : `Answers judged: ${counted.map(([by, count]) => `${formatCount(count)} ${DECIDED[by] ?? by}`).join(", ")}.`;
};
/** How it was decided whether an answer is right. */
export const rightWords = ({ right, by }: AnswerRight): string =>
  `${right === null ? "Cannot tell" : right ? "Right" : "Not right"} (${DECIDED[by] ?? by})`;

/** What a proof still lacks. */
export function lackWords({ because, right, n, replaysNeeded }: Proof): string {
  switch (because) {
    case "seen_in_training":
      return "Every conversation has a near copy in training, or is of a user in training: the models have as good as seen them.";
    case "no_judgement":
      return "Nobody has said which answers are right. Review them, or add Examples with the right answers to the test split.";
    case "too_few":
      return `It needs ${formatCount(replaysNeeded)} conversations whose answers are judged, and there were ${formatCount(right?.n ?? n)}.`;
    case "unchecked":
      return `${right !== null && (right.decidedBy.model ?? 0) > 0 ? "Judge says so, and it is not proven by that" : "The numbers would do, but a machine called the answers right"}: ${plural(Math.max(0, (right?.checksNeeded ?? 0) - (right?.checked ?? 0)), "more row")} reviewed blind will decide.`;
    case "measured_before":
      return "It was measured before answers were judged to be right, by whether the Finding was gone. Start it again.";
    default:
      return right !== null && right.gainsMissing > 0
        ? `It takes ${plural(right.gainsMissing, "more right answer")}, without losing any. Some 20 conversations usually show it.`
        : "The interval includes no difference.";
  }
}

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
  not_right: "“After” is closer or has one fault less, and is not right",
  right_now: "Right after, not before",
  right_before: "Right before, not after",
  both_right: "Right before and after",
  gone_not_right: "Found before; after, gone but not right",
  never_right: "Found in neither, and neither is right",
  not_judged: "Gone, and not judged whether it is right",
  fixed: "Found before, not after",
  still_found: "Found before and after",
  newly_found: "Found after, not before",
  never_found: "Found neither before nor after",
  no_answer: "No answer: this prompt crashed the trainer",
  not_answered: "No answer: a model refused this prompt or has too little room for it",
  not_applied: "Not asked: the system prompt is another one, so the change cannot be made in it",
  other_tool_call: "It called a tool that was not called in this conversation, so the row ends there",
  over_budget: "Not asked: the limit in US dollars was reached",
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
  not_right: "The later answer is closer or has one fault less, and is not right",
  no_answer: "No answer",
  not_answered: "A model refused, or has too little room",
  not_applied: "The system prompt is another one",
  other_tool_call: "A tool was called that was not called in the conversation",
  over_budget: "Not asked: the limit in US dollars was reached",
};
export const countedWords = (reason: string) => COUNTED[reason] ?? reason.replaceAll("_", " ");

export const isUnfinished = ({ status }: Pick<Evaluation, "status">) => status === "queued" || status === "running";

export const intervalWords = ({ low, high }: ShareInterval) => `${formatPercent(low)} to ${formatPercent(high)}`;

/** `−42 points`: a difference of two shares. */
export const pointsWords = (difference: number) => {
  const points = Math.round(difference * 100);
  return `${points < 0 ? "−" : points > 0 ? "+" : ""}${formatCount(Math.abs(points))}`;
};

const notTextWords = (kind: Evaluation["kind"], variantId: string | null) => {
  if (kind === "examples") return "have no answer";
  return variantId === null
    ? "use tools or attachments"
    : "use attachments, or tools whose definitions or results were not recorded";
};

/** What was compared and what was left out, in sentences. */
export function selectionWords({ kind, selection, datasetVersion, variantId, recorded }: Evaluation): string[] {
  if (selection === null) return [];
  const { selected, splits, available, trainedOn, notText, changed, preserveSetOnly, nearCopies, seenOnly } = selection;
  const more = available !== null && available > selected ? ` of ${formatCount(available)}` : "";
  const left = [
    ...(trainedOn > 0
      ? [
          `${formatCount(trainedOn)} because ${variantId === null ? "a model was trained on" : "the variant was written with"} them`,
        ]
      : []),
    ...(notText > 0 ? [`${formatCount(notText)} because they ${notTextWords(kind, variantId)}`] : []),
    ...(nearCopies !== null && nearCopies > 0 && !seenOnly
      ? [`${formatCount(nearCopies)} because training has a near copy, the same answer or the same user`]
      : []),
    ...(changed > 0 ? [`${formatCount(changed)} because the Rule no longer reports their recorded answer`] : []),
  ];
  const without = [
    ...(left.length === 0 ? [] : [`Left out: ${left.join(", ")}.`]),
    ...(seenOnly
      ? [
          `All ${formatCount(selected)} have a near copy, the same answer or the same user in training, so nothing is really held out and the result proves nothing. Add Examples of other users and questions to the test split.`,
        ]
      : []),
    ...selection.groupsWithout.map((one) =>
      one === "answer"
        ? "Equal answers were not taken for copies, because more than a tenth of the Examples share one."
        : "Examples of one user were not taken for copies, because one user has more than a tenth of them.",
    ),
    ...(nearCopies === null ? ["Near copies in training were not looked for yet when this was started."] : []),
  ];
  if (kind === "finding") {
    return [
      `${plural(selected, "conversation")}${more} with the Finding, each up to the faulty answer.`,
      ...without,
      `These conversations were chosen because they failed, so the rates apply to them, not to all traffic. ${
        recorded && variantId !== null
          ? "The answers before are those of the conversations, and the answers after were written for the sample, so this shows what a proof is like, not how good a model is."
          : "Both rates are measured on new answers from both models, so a failure that happened by chance does not count as fixed."
      }`,
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
    ...(splits !== null && splits.validation > 0 && variantId === null
      ? ["The validation split was already used to choose the best checkpoint, so its result is slightly optimistic."]
      : []),
  ];
}
