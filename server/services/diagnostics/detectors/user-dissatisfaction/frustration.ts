import { excerpt } from "@/server/platform/excerpt";
import type { ConversationSnapshot, DetectedSignal, Detector } from "../../types";
import { mergeByCause, quoteMessage } from "../reading/evidence";
import { sentenceAround } from "../reading/sentence";
import { type JudgedTurn, judgedTurns } from "./turn-dissatisfaction";

const SAID_SCORE = 0.85;
/** Least score of angry words that may be about someone else, or meant well: high enough to ask an adjudicator. */
const PERHAPS_LEAST = 0.3;
/** Ranks estimated turns below any expressed anger. */
const ESTIMATE_SHARE = 0.6;
/** Estimates of turns without any sign of dissatisfaction are left out. */
const ESTIMATE_FLOOR = 0.03;
const ESTIMATES_MAX = 100;
/** Log-odds subtracted from all but the last turn's estimate, because the last turn shows how the user leaves. */
const GONE_ON = 4;
/** Maximum words of a turn that expresses little besides anger. */
const SHORT_TURN = 14;

/** The cause of everything that a frustrated user does, such as to leave. */
export const FRUSTRATED = "frustrated user";

const AT_THE_ASSISTANT =
  /(?<!\p{L})(?:you|youre|your|u|bot|chat|assistant|du|ihr|sie|dein|tu|vous|te|usted|você|voi)(?!\p{L})/iu;
const ABOUT_OTHERS =
  /(?<!\p{L})(?:my (?:boss|friend|wife|husband|neighbou?r|colleague|coworker|ex|mother|father|teacher|landlord|dog|kids?)|he|she|they|him|her|them|their|mein(?:e|er|em)? (?:chef|nachbar|freund|kollege)|mon (?:patron|voisin|ami)|mi (?:jefe|vecino|amigo))(?!\p{L})/iu;

export const frustration: Detector = {
  signal: "frustration",
  severity: "high",
  enabledByDefault: true,
  looksFor: "A user who says that they are annoyed with the answers, or whose turns suggest it.",
  detect: (conversation) => {
    const judged = judgedTurns(conversation);
    const last = judged.at(-1);
    const angry = judged.flatMap((one) =>
      angerIn(conversation, one, { isFirst: one === judged[0], isLast: one === last }),
    );
    const spoken = new Set(angry.flatMap(({ evidence }) => evidence.map(({ messageIndex }) => messageIndex)));
    const estimates = judged
      .filter(
        (one) =>
          one.score >= ESTIMATE_FLOOR &&
          (one.turn.heardIndex !== null || one.cues.size > 0) &&
          !spoken.has(one.turn.index),
      )
      .map((one) => estimateOf(conversation, one, one === last))
      .sort((one, other) => other.score - one.score)
      .slice(0, ESTIMATES_MAX);
    return [...mergeByCause(angry), ...estimates];
  },
};

function angerIn(
  conversation: ConversationSnapshot,
  { turn, said, cues, score }: JudgedTurn,
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
): DetectedSignal[] {
  const anger = said.find(({ set }) => set === "anger") ?? said.find(({ set }) => set === "curse");
  if (!anger) return [];
  const [start, end] = sentenceAround(turn.text, anger.start, anger.end);
  const sentence = turn.text.slice(start, end);
  const isShort = turn.text.trim().split(/\s+/).length <= SHORT_TURN;
  const isMeantWell = said.some(({ set }) => set === "content");
  const unserved = cues.has("failed") || cues.has("lost");
  const isAtUs =
    anger.set === "curse"
      ? unserved && isShort
      : AT_THE_ASSISTANT.test(sentence) || (isShort && !ABOUT_OTHERS.test(turn.text));
  const isCertain = !isFirst && turn.heardIndex !== null && isAtUs && !isMeantWell && !ABOUT_OTHERS.test(sentence);
  return [
    {
      name: "frustration",
      score: isCertain ? SAID_SCORE : Math.max(PERHAPS_LEAST, estimated(score, isLast)),
      verdict: isCertain ? "match" : "ambiguous",
      evidence: [quoteMessage(conversation.messages, turn.index, start, end)],
      cause: isCertain ? FRUSTRATED : "perhaps frustrated user",
      title: "The user is frustrated with the assistant",
      summary: `After ${afterWhat(turn.heard)}, the user said “${excerpt(sentence.trim(), 160)}”.`,
    },
  ];
}

const afterWhat = (heard: string) => (heard === "" ? "no answer" : `the answer “${excerpt(heard.trim(), 120)}”`);

function estimated(score: number, isLast: boolean): number {
  const odds = (score / (1 - score)) * (isLast ? 1 : Math.exp(-GONE_ON));
  return ESTIMATE_SHARE * (odds / (1 + odds));
}

function estimateOf({ messages }: ConversationSnapshot, { turn, score }: JudgedTurn, isLast: boolean): DetectedSignal {
  return {
    name: "frustration",
    score: estimated(score, isLast),
    verdict: "ambiguous",
    evidence: [quoteMessage(messages, turn.index)],
    cause: "dissatisfied user",
    title: "The user seems dissatisfied with the answer",
    summary: `The user's reply “${excerpt(turn.text.trim(), 160)}” suggests that the previous answer did not help.`,
  };
}
