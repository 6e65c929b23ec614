import {
  type ConversationSnapshot,
  proseOf,
  refusalsIn,
  spokenMessages,
  toolExchanges,
  toolFailures,
  type UserTurn,
  userTurns,
} from "@/server/services/diagnostics/detectors/reading";
import { withoutApology } from "./apology";
import { type Reaction, reactionTo } from "./reactions";

/** The assistant's last message before the user's next turn, or before the end. */
export type Answer = {
  index: number;
  text: string;
  /** The user's turn that it answers; `null` before the first. */
  question: UserTurn | null;
  /** The user's next turn. */
  reply: UserTurn | null;
  reaction: Reaction | "none";
};

const answersOf = new WeakMap<ConversationSnapshot, readonly Answer[]>();

/** Returns the assistant's answers, in order. Memoized per conversation. */
export function answers(conversation: ConversationSnapshot): readonly Answer[] {
  let found = answersOf.get(conversation);
  if (!found) {
    found = readAnswers(conversation);
    answersOf.set(conversation, found);
  }
  return found;
}

function readAnswers(conversation: ConversationSnapshot): Answer[] {
  const turns = userTurns(conversation);
  const replies = new Map(turns.flatMap((turn) => (turn.heardIndex === null ? [] : [[turn.heardIndex, turn]])));
  const spoken = spokenMessages(conversation.messages);
  const last = spoken.at(-1)?.index;
  return spoken.flatMap(({ index, text }) => {
    const reply = replies.get(index) ?? null;
    if (!reply && index !== last) return [];
    const question = turns.findLast((turn) => turn.index < index) ?? null;
    return [{ index, text, question, reply, reaction: reply ? reactionTo(conversation, reply) : "none" }];
  });
}

/** Sentences that offer more help or say goodbye, which are not part of the answer. */
const COURTESY =
  /(?:[^.!?。！？\n]*\b(?:anything else|any(?: other| more| further)? (?:questions?|help|assistance|concerns?)|something else|further assistance|(?:let (?:me|us) know|tell me) (?:if|when|should|whenever) (?:you(?:[’']d| would)? (?:need|have|want|like|change)|there(?:[’']s| is| are)|anything|i can)|feel free|happy to help|here to help|can i (?:help|assist|do) |(?:how|what) (?:else )?(?:can|may) i (?:help|assist|do)|you(?:[’']re| are) (?:very |most |so )?welcome|my pleasure|no problem|glad|(?:great|good|fantastic|wonderful|excellent) (?:news|to hear)|all set|have a (?:great|good|nice|wonderful|lovely|pleasant|fantastic|safe)|take care|good ?bye|enjoy|thank(?:s| you)|gern(?:e)? (?:geschehen|helfen)|sonst noch|de rien|autre chose|de nada|algo más|prego|altro)\b[^.!?。！？\n]*[.!?。！？]*)/gi;
/** Minimum number of characters that must remain for there to be something to learn. */
const SUBSTANCE_LEAST = 12;
/** Asks the user a question, or for permission, before anything was done; sometimes the question mark is missing. */
const ASKS =
  /[?？]|\b(?:please (?:provide|confirm|share|tell|specify|enter|reply|let me)|let me know|i(?:[’']ll| will)? (?:need|require) (?:your|the|to know|some|a few)|ready to continue|could you|would you like|shall i|do you want|(?:reply|type|say|answer) (?:with )?["“']?yes)\b/i;
const OPENS_CONFIRMATION = /(?:^|[.!\n,:]\s*)(?:ok(?:ay)?[,. ]+)?(?:please |just |so )?(?:to )?confirm(?:ing)?\b/i;
const OPENS_QUESTION =
  /(?:^|[.!\n,:]\s*)(?:(?:ok(?:ay)?|sure|great|got it|and|so|alright)[,.! ]+)?(?:(?:in|at|on|for|from|to) )?(?:what|which|when|where|who|how (?:many|much|long|often)|may i|should i|are you|do you)\b/i;

/** Returns an answer's text without offers of more help and goodbyes. */
export const substanceOf = (conversation: ConversationSnapshot, index: number): string =>
  proseOf(conversation.messages[index]!).replace(COURTESY, " ").trim();

/** Returns whether an answer has substance and does not ask the user for anything. */
export function isComplete(
  conversation: ConversationSnapshot,
  { index, text }: Pick<Answer, "index" | "text">,
): boolean {
  const substance = substanceOf(conversation, index);
  const letters = substance.replaceAll(/[\p{P}\p{Z}\s]/gu, "").length;
  // Code and quotations are blanked from prose.
  const isQuote = text.length > 2 * substance.length && text.includes("```");
  return (
    (letters >= SUBSTANCE_LEAST || isQuote) &&
    !ASKS.test(substance) &&
    !OPENS_CONFIRMATION.test(substance) &&
    !isOpenQuestion(substance)
  );
}

/** Returns whether text ends with a question that only the user can answer. */
export const isOpenQuestion = (text: string): boolean => OPENS_QUESTION.test(lastSentence(text));
const lastSentence = (text: string) => /[^.!?。！？\n]*[.!?。！？\s]*$/u.exec(text.trimEnd())?.[0] ?? "";

/** Sentences of an answer that does not help the user. */
const FAILS =
  /\b(?:(?:i[’']m|i am|we(?:[’']re| are)) (?:really |very |so |truly )?(?:sorry|afraid)|unfortunately|apologi[sz]e|apologies|regrettably|unable to|not able to|(?:i|we) (?:can ?not|can[’']t|could ?n[’']t|could not|did ?n[’']t|do ?n[’']t|was ?n[’']t|were ?n[’']t)|(?:was|is|were|are) (?:not|un)(?: |)(?:successful|available|possible|allowed|eligible|permitted|refundable)|(?:is|was|are|were|can|could)(?:n[’']t| not| ?not) (?:be|available|possible|eligible|allowed)|no (?:results|matches|such)|failed|went wrong|there (?:was|is) (?:a|an|some) (?:problem|issue|error)|transfer(?:red|ring)? (?:you|to)|hand(?:ing|ed)? (?:you|this) (?:over|off)|human agent|representative|leider|konnte nicht|nicht möglich|désolée?|malheureusement|impossible|lo siento|lamentablemente|no (?:puedo|pude|es posible)|infelizmente|purtroppo|mi dispiace)\b|抱歉|对不起|无法|申し訳|残念ながら|できません/iu;

/** Returns whether an answer declines, apologises or refers the user elsewhere. */
export function isFailing(conversation: ConversationSnapshot, index: number): boolean {
  return (
    FAILS.test(withoutApology(proseOf(conversation.messages[index]!))) ||
    refusalsIn(conversation.messages).some((refusal) => refusal.index === index)
  );
}

/** Returns whether a call since the user's turn failed, and the same tool did not succeed after it. */
export function followsFailure(conversation: ConversationSnapshot, { index, question }: Answer): boolean {
  const from = question?.index ?? -1;
  const since = toolExchanges(conversation).filter(({ callIndex, resultIndex }) => {
    const at = resultIndex ?? callIndex;
    return at !== null && at > from && at < index;
  });
  const failed = new Set(toolFailures(conversation).map(({ exchange }) => exchange));
  return since.some(
    (one, nth) =>
      failed.has(one) && !since.slice(nth + 1).some((later) => later.name === one.name && !failed.has(later)),
  );
}
