import { excerpt, onOneLine } from "@/server/platform/excerpt";
import type { ConversationSnapshot, Detector } from "../../types";
import { mergeByCause, quoteMessage } from "../reading/evidence";
import { type AnswerKind, kindOfAnswer } from "../reading/kind-of-answer";
import { textOf } from "../reading/text";
import { type ToolExchange, toolExchanges } from "../reading/tool-exchanges";
import { shareRuns, type WordRuns, wordRuns } from "../reading/words/word-runs";
import { commonFailure, failureCause } from "../tool-failure/tool-failures";
import { loopScore, loopVerdict } from "./loop-score";

/** Characters. "You're welcome!" twice is polite; a repeated paragraph is a loop. */
const SHORTEST = 25;
const LONG = 80;
const SHORT_WEIGHT = 0.35;
/** Weight of a repeat after the user repeated the question. */
const SAME_QUESTION_WEIGHT = 0.5;
/** Weight of a repeat after many other messages: people in a channel ask again, a loop repeats itself immediately. */
const FAR_MESSAGES = 12;
const FAR_WEIGHT = 0.3;
/** Share of common word n-grams from which two messages are near duplicates. */
const NEAR_DUPLICATE = 0.75;
/** Number of preceding assistant messages compared for near duplicates; exact duplicates are found at any distance. */
const WINDOW = 6;
const SCORE_FLOOR = 0.15;

/**
 * `turn` counts the user's messages so far; `question` is the last of them, verbatim. `result`: the last call of a tool in this
 * turn.
 */
type Said = {
  index: number;
  key: string;
  question: string;
  turn: number;
  result: ToolExchange | null;
  runs?: WordRuns;
};

const TITLES: Readonly<Record<AnswerKind, string>> = {
  "asks back": "The assistant asks the same question again",
  declines: "The assistant declines again in the same words",
  answers: "The assistant gives the same answer again",
};

export const repeatedMessage: Detector = {
  signal: "repeated_message",
  severity: "medium",
  enabledByDefault: true,
  looksFor: "The assistant saying the same thing again, word for word or nearly, instead of making progress.",
  detect: (conversation) =>
    mergeByCause(
      groupsOf(conversation).flatMap((group) => {
        const first = group[0]!;
        let repeats = 0;
        for (let index = 1; index < group.length; index++) {
          const length = first.key.length >= LONG ? 1 : SHORT_WEIGHT;
          const [before, after] = [group[index - 1]!, group[index]!];
          const asked = after.turn > before.turn && normalised(after.question) === normalised(before.question);
          const distance = after.index - before.index > FAR_MESSAGES ? FAR_WEIGHT : 1;
          repeats += length * distance * (asked ? SAME_QUESTION_WEIGHT : 1);
        }
        const score = loopScore(repeats);
        if (score < SCORE_FLOOR) return [];
        const kind = kindOfAnswer(first.key);
        // An answer to the same failure each time is evidence of the failure.
        const failure = commonFailure(
          conversation,
          group.map(({ result }) => result),
        );
        return [
          {
            name: "repeated_message",
            score,
            verdict: loopVerdict(score),
            evidence: group.map(({ index }) => quoteMessage(conversation.messages, index)),
            cause: failure ? failureCause(failure) : `repeats itself and ${kind}`,
            title: TITLES[kind],
            summary: `The assistant said nearly the same thing ${group.length} times: “${excerpt(textOf(conversation.messages[first.index]!), 160)}”.`,
          },
        ];
      }),
    ),
};

function groupsOf(conversation: ConversationSnapshot): Said[][] {
  const { messages } = conversation;
  const resultAt = new Map(toolExchanges(conversation).map((exchange) => [exchange.resultIndex, exchange]));
  const groups: Said[][] = [];
  const byKey = new Map<string, Said[]>();
  const recent: { said: Said; group: Said[] }[] = [];
  let question = "";
  let turn = 0;
  let result: ToolExchange | null = null;
  messages.forEach((message, index) => {
    if (message.role === "user") {
      question = textOf(message);
      turn++;
      result = null;
    }
    result = resultAt.get(index) ?? result;
    if (message.role !== "assistant") return;
    const key = normalised(textOf(message));
    if (key.length < SHORTEST) return;
    const said: Said = { index, key, question, turn, result };
    const group = byKey.get(key) ?? recent.find((one) => alike(one.said, said))?.group ?? [];
    if (group.length === 0) groups.push(group);
    group.push(said);
    byKey.set(key, group);
    recent.push({ said, group });
    if (recent.length > WINDOW) recent.shift();
  });
  return groups.filter((group) => group.length > 1);
}

/** Characters of a message that are compared. */
const TEXT_READ = 1000;

const normalised = (text: string) => onOneLine(text.slice(0, TEXT_READ).toLowerCase());

function alike(a: Said, b: Said): boolean {
  const [short, long] = a.key.length < b.key.length ? [a, b] : [b, a];
  if (short.key.length < LONG || short.key.length < long.key.length * NEAR_DUPLICATE) return false;
  // Computed lazily: most messages already differ in length.
  short.runs ??= wordRuns(short.key);
  long.runs ??= wordRuns(long.key);
  return shareRuns(short.runs, long.runs, NEAR_DUPLICATE);
}
