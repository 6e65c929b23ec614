import { formatCount, formatPercent, formatUsd, plural } from "@/app/_lib/format";
import type { Evaluation } from "@/server/services/proof/evaluations/schemas";
import type { Judgement, JudgePreview, Judging } from "@/server/services/proof/judging/schemas";
import { intervalWords } from "./words";

/** Whether a model is being asked at the moment. */
export const isJudged = (judging: Evaluation["judging"]): judging is Judging =>
  judging !== null && (judging.status === "queued" || judging.status === "running");

const REASONS: Record<NonNullable<JudgePreview["reason"]>, string> = {
  "no-adjudicator":
    "No model is connected. Connect one under Integrations; if there are several, choose one in the diagnostic settings.",
  "no-model": "The model connection names no model. Set its default model under Integrations.",
  "no-price": "The price of the model is unknown, so what this costs is unknown, too.",
  "no-rows": "There are no answers to judge.",
};
const LIMITS = { calls: "calls", tokens: "tokens", usd: "US dollars" } as const;

const ITSELF =
  "The judge is of the family of the judged model. Some models prefer what is written like their own answers.";

/** What asking takes, in sentences. */
export function previewWords(preview: JudgePreview): string[] {
  const { reason, model, questions, toAsk, allowed, limitedBy, tokensPerQuestion, cost, withoutReference } = preview;
  const isAskable = reason === null || reason === "no-price";
  const tokens = tokensPerQuestion === null ? null : toAsk * (tokensPerQuestion.input + tokensPerQuestion.output);
  return [
    ...(isAskable
      ? [
          `${model} is asked ${plural(toAsk, "question")}${toAsk < questions ? `; ${formatCount(questions - toAsk)} of ${formatCount(questions)} are answered already` : ""}.`,
          ...(toAsk === 0
            ? []
            : [
                `That takes about ${plural(tokens ?? 0, "token")}${cost === null ? "" : ` and ${formatUsd(cost)}`}, an estimate.`,
              ]),
          ...(allowed < toAsk && limitedBy !== null
            ? [
                `Today’s budget of the connection (${LIMITS[limitedBy]}) allows ${formatCount(allowed)} of them. Ask again tomorrow for the rest.`,
              ]
            : []),
        ]
      : []),
    ...(reason === null ? [] : [REASONS[reason]]),
    ...(isAskable && withoutReference > 0
      ? [`In ${plural(withoutReference, "row")} nobody has said what is right, so the model is not asked that.`]
      : []),
    ...(preview.mayPreferItself ? [ITSELF] : []),
  ];
}

/** What the judge said, in sentences. */
export function judgingWords({ answers, preference, agreement, note, ...judging }: Judging): string[] {
  const { right, notRight, cannotTell, noAnswer } = answers;
  const single = right + notRight + cannotTell + noAnswer;
  const more = [
    ...(cannotTell > 0 ? [`${formatCount(cannotTell)} it cannot tell`] : []),
    ...(noAnswer > 0 ? [`${formatCount(noAnswer)} without a usable reply`] : []),
  ];
  return [
    ...(single === 0
      ? []
      : [
          `Judge says: of ${plural(single, "answer")}, ${formatCount(right)} right, ${formatCount(notRight)} not right${more.length === 0 ? "" : `, ${more.join(", ")}`}. Answers that are the expected one, or still have the Finding, are not asked about.`,
        ]),
    ...(preference === null || preference.n === 0
      ? []
      : [
          `Judge prefers “After” in ${formatCount(preference.win)} of ${plural(preference.n, "row")}${preference.winShare === null ? "" : ` (95% interval ${intervalWords(preference.winShare)})`} and “Before” in ${formatCount(preference.loss)}. ${formatCount(preference.tie)} are ties, ${formatCount(preference.flips)} of them because the choice turned with the order of the answers.`,
        ]),
    ...(agreement === null
      ? []
      : [
          `It agrees with people on ${formatPercent(agreement.share.rate)} of ${plural(agreement.judgements, "reviewed answer")} (95% interval ${intervalWords(agreement.share)}, AC1 ${agreement.ac1.toFixed(2)}).`,
        ]),
    ...(note === null
      ? []
      : [`Stopped after ${formatCount(judging.answered)} of ${plural(judging.questions, "question")}: ${note}.`]),
    `${plural(judging.asked, "question")} sent, ${formatCount(judging.reused)} answered by earlier replies; prompt version ${judging.promptVersion}.`,
    ...(judging.mayPreferItself ? [ITSELF] : []),
  ];
}

const QUESTIONS: Record<Judgement["question"], string> = {
  right_before: "Is “Before” right?",
  right_after: "Is “After” right?",
  before_first: "Which is better, “Before” shown first?",
  after_first: "Which is better, “After” shown first?",
};
const VERDICTS: Record<string, string> = {
  right: "Right",
  not_right: "Not right",
  cannot_tell: "Cannot tell",
  tie: "Neither",
  "before_first first": "“Before”",
  "before_first second": "“After”",
  "after_first first": "“After”",
  "after_first second": "“Before”",
};

/** A question to the judge and what it said. */
export const judgementWords = ({
  question,
  verdict,
  reason,
  error,
}: Judgement): { question: string; said: string } => ({
  question: QUESTIONS[question],
  said:
    verdict === null
      ? `No answer: ${error ?? "unknown"}`
      : `${VERDICTS[`${question} ${verdict}`] ?? VERDICTS[verdict] ?? verdict}. ${reason ?? ""}`,
});
