import type { ConversationSnapshot } from "../../types";
import { spokenMessages } from "../reading/assistant-messages";
import { phraseSets, wordList } from "../reading/words/phrase-sets";
import { wordOverlap, wordsIn } from "../reading/words/word-overlap";
import { type Correction, corrections } from "./corrections";

export type Outcome = { kind: "accepted" | "ignored"; index: number; reply: string };

/** Characters read of a reply, which responds to a correction at its beginning. */
const REPLY_READ = 400;
const SAME_WORDS = 0.85;
const WORDS_LEAST = 6;

const TAKES_UP = phraseSets({
  yes: [
    "(sorry|apologies|apologize|apologise|my mistake|my bad|my error|i misunderstood|i misread|i was wrong|i was mistaken|i stand corrected|i see what you mean|corrected)",
    "(youre|you are) (absolutely|quite|completely|totally|) (right|correct)",
    "(thanks|thank you) for (the correction|correcting|clarifying|the clarification|pointing|catching|letting)",
    "(good catch|got it|understood|noted|i see|of course|certainly|sure|ok|okay|no problem|alright)",
    "(entschuldigung|entschuldige|entschuldigen|tut mir leid|sie haben recht|du hast recht|verstanden|mein fehler|stimmt|danke für den hinweis|danke für die korrektur)",
    "(désolé|désolée|pardon|vous avez raison|tu as raison|je comprends|mon erreur|excusez|toutes mes excuses|merci pour la correction)",
    "(perdón|perdona|disculpa|disculpe|lo siento|tienes razón|tiene razón|entiendo|entendido|mi error|gracias por la aclaración)",
    "(desculpe|você tem razão|entendi|mi dispiace|hai ragione|ha ragione|capito)",
    ...[
      "抱歉",
      "对不起",
      "您说得对",
      "你说得对",
      "明白了",
      "申し訳",
      "失礼しました",
      "おっしゃる通り",
      "承知",
      "すみません",
    ],
  ],
});

/** Returns the outcome of a correction; `null` when the assistant did not reply or the outcome is unclear. */
export function outcomeOf(conversation: ConversationSnapshot, correction: Correction): Outcome | null {
  const spoken = spokenMessages(conversation.messages);
  const next = spoken.find(({ index }) => index > correction.turn.index);
  if (!next) return null;
  const all = corrections(conversation);
  const again = all[all.indexOf(correction) + 1];
  const reply = next.text.slice(0, REPLY_READ);
  const outcome = (kind: Outcome["kind"]) => ({ kind, index: next.index, reply });

  const [now, before] = [wordsIn(wordList(reply)), wordsIn(correction.turn.heardWords)];
  if (now.size >= WORDS_LEAST && before.size >= WORDS_LEAST && isSame(now, before)) return outcome("ignored");
  // Corrected again in the very next turn, whatever the assistant said about it.
  if (again?.certainty === "sure" && correction.certainty === "sure" && again.turn.heardIndex === next.index)
    return outcome("ignored");
  return TAKES_UP.find(reply).length > 0 ? outcome("accepted") : null;
}

const isSame = (now: ReadonlySet<string>, before: ReadonlySet<string>) =>
  wordOverlap(now, before) >= SAME_WORDS &&
  Math.min(now.size, before.size) >= SAME_WORDS * Math.max(now.size, before.size);
