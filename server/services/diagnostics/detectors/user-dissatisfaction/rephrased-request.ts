import { excerpt } from "@/server/platform/excerpt";
import type { ConversationSnapshot, DetectedSignal, Detector } from "../../types";
import { mergeByCause, quoteMessage } from "../reading/evidence";
import { type AnswerKind, kindOfAnswer } from "../reading/kind-of-answer";
import { type UserTurn, userTurns } from "../reading/user-turns";
import { phraseSets } from "../reading/words/phrase-sets";
import { wordOverlap, wordsIn } from "../reading/words/word-overlap";
import { agrees, hasOtherValues, reportsAResult } from "./answered-turn";
import { HEARD_CUES } from "./cues";

/** Earlier turns that a turn is compared with. */
const WINDOW = 3;
/** Words that carry little meaning: requests are compared by their subject. */
const COMMON = new Set(
  "a an the i you we he she it they me my your our his her its this that these those is are was were be been am do does did have has had will would can could should may to of in on at for from with by about and or but not no yes if so as what which who where when how why please thanks thank hi hello ok okay just also there here some any all get got give tell want need like know make ich du sie er es wir der die das ein eine und oder nicht ist sind bitte mir mich le la les un une des et ou est je vous il elle de du que qui el los las una y o es por favor".split(
    " ",
  ),
);
const WORDS_LEAST = 4;
const SIMILAR = 0.7;

/** The user says that they are asking again; "again" and "still" also say that a thing still fails. */
const AGAIN = phraseSets({
  again: [
    "(once more|i repeat|as i said|like i said|as i mentioned|i asked|i said|my question is|my question was|let me rephrase|let me try again|in other words)",
    "(wie gesagt|ich wiederhole|meine frage|anders gefragt)",
    "(encore une fois|je répète|comme je lai dit|ma question)",
    "(repito|como dije|mi pregunta)",
    "(ripeto|come ho detto)",
    ...["再说一遍", "我是问", "我问的是", "繰り返し", "さっきも"],
  ],
  perhaps: [
    "(again|still|noch einmal|nochmal|immer noch|toujours|otra vez|de nuevo|todavía|de novo|ancora)",
    ...["还是", "もう一度"],
  ],
});

const SURE_SCORE = 0.8;
const PERHAPS_SCORE = 0.4;

const TITLES: Readonly<Record<AnswerKind, string>> = {
  "asks back": "The user has to ask again after the assistant asks back",
  declines: "The user has to ask again after the assistant declines",
  answers: "The user has to ask again because the answer does not help",
};

export const rephrasedRequest: Detector = {
  signal: "rephrased_request",
  severity: "medium",
  enabledByDefault: true,
  looksFor: "A user who asks the same thing again in other words, because the answer did not help.",
  detect: (conversation) => {
    const turns = userTurns(conversation);
    const words = turns.map(contentOf);
    return mergeByCause(
      turns.flatMap((turn, at) => {
        if (turn.heardIndex === null || words[at]!.size < WORDS_LEAST) return [];
        for (let before = at - 1; before >= Math.max(0, at - WINDOW); before--) {
          if (words[before]!.size < WORDS_LEAST || wordOverlap(words[at]!, words[before]!) < SIMILAR) continue;
          if (goesOn(turn, turns[before]!)) continue;
          return [signalOf(conversation, turn, turns[before]!)];
        }
        return [];
      }),
    );
  },
};

/** Returns whether the user asks for something else, or goes on with what the assistant said, without saying to ask again. */
const goesOn = (turn: UserTurn, before: UserTurn): boolean =>
  AGAIN.find(turn.words).every(({ set }) => set !== "again") &&
  (reportsAResult(turn.text) || agrees(turn.text) || hasOtherValues(turn.text, before.text));

const contentOf = ({ words }: Pick<UserTurn, "words">): ReadonlySet<string> =>
  new Set([...wordsIn(words)].filter((word) => !COMMON.has(word)));

function signalOf({ messages }: ConversationSnapshot, turn: UserTurn, before: UserTurn): DetectedSignal {
  const heard = new Set(HEARD_CUES.find(turn.heardWords).map(({ set }) => set));
  const failed = heard.has("failed") || heard.has("lost");
  // When asked for a detail, people repeat the request with it.
  const answersAQuestion = turn.heard.trimEnd().endsWith("?") && !heard.has("lost");
  const again = AGAIN.find(turn.words);
  const saysAgain = again.some(({ set, word }) => set === "again" || failed || word === 0);
  const isSure = saysAgain && (failed || !answersAQuestion) && turn.text !== before.text;
  const kind = kindOfAnswer(turn.heard);
  const [first, second] = [excerpt(before.text.trim(), 80), excerpt(turn.text.trim(), 80)];
  return {
    name: "rephrased_request",
    score: isSure ? SURE_SCORE : failed || !answersAQuestion ? PERHAPS_SCORE : PERHAPS_SCORE / 2,
    verdict: isSure ? "match" : "ambiguous",
    evidence: [quoteMessage(messages, before.index), quoteMessage(messages, turn.index)],
    cause: `asks again after the assistant ${kind}`,
    title: TITLES[kind],
    summary: `The user asked “${first}”, got an answer, and asked again: “${second}”.`,
  };
}
