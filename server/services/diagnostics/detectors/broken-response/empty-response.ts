import type { ConversationSnapshot, DetectedSignal, Detector } from "../../types";
import { mergeByCause, quoteMessage } from "../reading/evidence";
import { textOf } from "../reading/text";

const NOTHING_SCORE = 0.95;
/** A placeholder value printed by a program. */
const PLACEHOLDER_SCORE = 0.85;
/** Reasoning without a reply, or nothing before the assistant continues: a client may have split one reply in two. */
const PERHAPS_SCORE = 0.4;

const PLACEHOLDER =
  /^(?:null|none|undefined|nan|\[object ?Object\]|\{\s{0,3}\}|\[\s{0,3}\]|""|''|<empty>|\(empty\)|\.{1,3}|…|-)$/i;
const INVISIBLE = /[\s\u200B-\u200F\u2060\uFEFF\u00AD]/g;
const VISIBLE = /[^\s\u200B-\u200F\u2060\uFEFF\u00AD]/;
const PLACEHOLDER_LENGTH = 20;
/** Characters that are enough for a placeholder and invisible characters around it. */
const READ = 60;

/** The cause of Signals about an answer in which nothing is said. */
export const EMPTY_ANSWER = "the answer is empty";

export const emptyResponse: Detector = {
  signal: "empty_response",
  severity: "high",
  enabledByDefault: true,
  looksFor:
    "An assistant turn with no text, no tool call and nothing else in it, or only a placeholder such as “null”.",
  detect: (conversation) => mergeByCause(conversation.messages.flatMap((_, index) => emptyAt(conversation, index))),
};

function emptyAt({ messages }: ConversationSnapshot, index: number): DetectedSignal[] {
  const message = messages[index]!;
  if (message.role !== "assistant" || message.toolCalls.length > 0) return [];
  const text = textOf(message);
  const said = text.length > READ && VISIBLE.test(text) ? text : text.slice(0, READ).replace(INVISIBLE, "");
  const others = message.parts.filter(({ type }) => type !== "text");
  if (said === "") {
    if (others.some(({ type }) => type !== "reasoning" && type !== "thinking")) return [];
    const goesOn = messages[index + 1] !== undefined && messages[index + 1]!.role !== "user";
    const unsure = others.length > 0 || goesOn;
    return [signal("nothing", unsure ? PERHAPS_SCORE : NOTHING_SCORE, unsure)];
  }
  const placeholder = said.length <= PLACEHOLDER_LENGTH && others.length === 0 && PLACEHOLDER.test(said);
  // "None." answers "how many are left?"; without a full stop a program printed it.
  return placeholder ? [signal(said.toLowerCase(), PLACEHOLDER_SCORE, /^[-.…]/.test(said))] : [];

  function signal(what: string, score: number, unsure: boolean): DetectedSignal {
    return {
      name: "empty_response",
      score: unsure ? Math.min(score, PERHAPS_SCORE) : score,
      verdict: unsure ? "ambiguous" : "match",
      evidence: [quoteMessage(messages, index)],
      cause: what === "nothing" ? EMPTY_ANSWER : `the answer is ${what}`,
      title: what === "nothing" ? "An answer is empty" : `An answer is only the placeholder “${what}”`,
      summary: "An answer has no text, tool call or attachment.",
    };
  }
}
