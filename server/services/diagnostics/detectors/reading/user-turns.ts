import { isByUser, type Message } from "@/server/services/telemetry/schemas";
import type { ConversationSnapshot } from "../../types";
import { proseOf } from "./prose";
import { textOf } from "./text";
import { type WordList, wordList } from "./words/phrase-sets";

/** What a user said, not what one agent tells another, with what the assistant said to them before. */
export type UserTurn = {
  index: number;
  /** Prose only: code and pasted transcripts are blanked. Offsets are those of the message. */
  text: string;
  /** The assistant's words since the user's previous turn; "" when it said nothing. */
  heard: string;
  /** Index of the last message with such words; `null` if there is none. */
  heardIndex: number | null;
  words: WordList;
  heardWords: WordList;
};

/** Characters. People say what they think of an answer briefly, or first; the rest of a long message is its subject. */
export const TURN_READ = 600;
/** Characters read of the assistant's words, from their end, which the user responds to. */
const HEARD_READ = 600;
/** Only the first turns of a longer log are read. */
const TURNS_MAX = 400;

/** Tool results that agents return in a user message, and notes that programs write. */
const BY_A_PROGRAM =
  /^\s{0,8}(?:[<[{#]|(?:observation|execution result|exitcode|tool (?:result|output)|command output|traceback|error:|system note|reminder)s?\b)/i;

const turnsOf = new WeakMap<readonly Message[], readonly UserTurn[]>();

/** Returns the user's turns, in order. Memoized per list of messages. */
export function userTurns({ messages }: ConversationSnapshot): readonly UserTurn[] {
  let turns = turnsOf.get(messages);
  if (!turns) {
    turns = readTurns(messages);
    turnsOf.set(messages, turns);
  }
  return turns;
}

function readTurns(messages: readonly Message[]): UserTurn[] {
  const turns: UserTurn[] = [];
  let heard = "";
  let heardIndex: number | null = null;
  for (const [index, message] of messages.entries()) {
    if (message.role === "assistant") {
      const said = textOf(message);
      if (said.trim() === "") continue;
      heard = `${heard} ${said.slice(-HEARD_READ)}`.slice(-HEARD_READ);
      heardIndex = index;
    } else if (isByUser(message)) {
      const text = proseOf(message).slice(0, TURN_READ);
      if (text.trim() === "" || BY_A_PROGRAM.test(text)) continue;
      turns.push({ index, text, heard, heardIndex, words: wordList(text), heardWords: wordList(heard) });
      heard = "";
      heardIndex = null;
      if (turns.length === TURNS_MAX) break;
    }
  }
  return turns;
}
