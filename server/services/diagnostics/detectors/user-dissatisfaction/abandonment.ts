import { excerpt } from "@/server/platform/excerpt";
import type { ConversationSnapshot, DetectedSignal, Detector } from "../../types";
import { quoteMessage } from "../reading/evidence";
import { textOf } from "../reading/text";
import { userTurns } from "../reading/user-turns";
import { HEARD_CUES } from "./cues";
import { FRUSTRATED } from "./frustration";
import { judgedTurns } from "./turn-dissatisfaction";

/** Number of user turns from which leaving counts as late. */
const LATE = 3;
/** A user this dissatisfied did not just forget to say goodbye. */
const DISSATISFIED = 0.6;

const LEFT_ANGRY_SCORE = 0.75;
const AFTER_FAILURE_SCORE = 0.5;
/** Logs often stop at a user's last word, so that a missing answer says little. */
const UNANSWERED_SCORE = 0.1;
const LATE_QUESTION_SCORE = 0.28;
const LATE_SCORE = 0.2;
const CLOSED_SCORE = 0.05;

const ASKS = /[?？]\s*$/;
const OFFERS_MORE =
  /(?:anything|something) (?:else|more)|(?:further|more|other) (?:assistance|help|questions?)|how else|noch etwas|sonst noch|autre chose|algo más|mais alguma|altro/i;
/** Characters of the assistant's last message; failures and questions are at its ends. */
const LAST_READ = 250;

export const abandonment: Detector = {
  signal: "abandonment",
  severity: "medium",
  enabledByDefault: true,
  reads: "end",
  looksFor:
    "A conversation that the user leaves right after a failure, after many turns without a conclusion, or without an answer.",
  detect: (conversation) => {
    const { messages } = conversation;
    const turns = userTurns(conversation);
    const last = turns.at(-1);
    if (!last) return [];
    const answer = messages.findLastIndex((message) => message.role === "assistant" && textOf(message).trim() !== "");
    if (answer < last.index) return unanswered(conversation, last.index);
    const text = textOf(messages[answer]!);
    const cues = new Set(
      HEARD_CUES.find(
        text.length <= 2 * LAST_READ ? text : `${text.slice(0, LAST_READ)} ${text.slice(-LAST_READ)}`,
      ).map(({ set }) => set),
    );
    const left = judgedTurns(conversation).at(-1)!;
    const failed = cues.has("failed") || cues.has("lost");
    const closed = cues.has("served") && !failed;
    const asks = ASKS.test(text) && !OFFERS_MORE.test(text);
    if (left.cues.has("closing")) return [];
    const isAngry = left.score >= DISSATISFIED && turns.length > 1 && !left.cues.has("content");
    if (failed && isAngry) {
      return [signalOf(conversation, answer, LEFT_ANGRY_SCORE, "The user gives up after another failure", true)];
    }
    if (failed && turns.length > 1)
      return [signalOf(conversation, answer, AFTER_FAILURE_SCORE, "The user leaves after a failure", false)];
    if (turns.length < LATE) return [];
    const score = closed ? CLOSED_SCORE : asks ? LATE_QUESTION_SCORE : LATE_SCORE;
    return [signalOf(conversation, answer, score, "The user leaves without a reply", false)];
  },
};

function unanswered(conversation: ConversationSnapshot, index: number): DetectedSignal[] {
  const left = judgedTurns(conversation).at(-1)!;
  if (left.cues.has("closing") || left.cues.has("content")) return [];
  return [signalOf(conversation, index, UNANSWERED_SCORE, "The user gets no answer", false)];
}

function signalOf(
  { messages }: ConversationSnapshot,
  index: number,
  score: number,
  what: string,
  isSure: boolean,
): DetectedSignal {
  return {
    name: "abandonment",
    score,
    verdict: isSure ? "match" : "ambiguous",
    evidence: [quoteMessage(messages, index)],
    // Only a dissatisfied user's leaving is sure, and that is frustration.
    cause: isSure ? FRUSTRATED : what.toLowerCase(),
    title: what,
    summary: `The conversation ends here: “${excerpt(textOf(messages[index]!).trim(), 160)}”.`,
  };
}
