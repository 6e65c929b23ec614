import { isByUser } from "@/server/services/telemetry/schemas";
import type { ConversationSnapshot } from "../../types";
import { textOf } from "./text";
import { type ToolExchange, toolExchanges } from "./tool-exchanges";

/** How a conversation ends. Indexes are of messages, `null` where there is none. */
export type Ending = {
  /** The user's last message. Results that clients send as the user's do not count. */
  lastUser: number | null;
  /** The last reply of the assistant with text. */
  lastReply: number | null;
  /** The exchanges that were called after the last reply with text, or in the same message. */
  afterReply: readonly ToolExchange[];
  /** The number of tool calls after the user's last message. */
  callsSinceUser: number;
};

const endingOf = new WeakMap<ConversationSnapshot, Ending>();

/** Returns how a conversation ends. Memoized per conversation. */
export function ending(conversation: ConversationSnapshot): Ending {
  let read = endingOf.get(conversation);
  if (!read) {
    read = readEnding(conversation);
    endingOf.set(conversation, read);
  }
  return read;
}

function readEnding(conversation: ConversationSnapshot): Ending {
  const { messages } = conversation;
  const exchanges = toolExchanges(conversation);
  const results = new Set<number>();
  for (const { resultIndex } of exchanges) if (resultIndex !== null) results.add(resultIndex);
  let lastUser: number | null = null;
  let lastReply: number | null = null;
  for (let index = messages.length - 1; index >= 0 && (lastUser === null || lastReply === null); index--) {
    const message = messages[index]!;
    if (isByUser(message) && lastUser === null && !results.has(index)) lastUser = index;
    if (message.role === "assistant" && lastReply === null && textOf(message).trim() !== "") lastReply = index;
  }
  const calledFrom = (start: number) => {
    let from = exchanges.length;
    while (from > 0 && (indexOf(exchanges[from - 1]!) ?? messages.length) >= start) from--;
    return exchanges.slice(from);
  };
  return {
    lastUser,
    lastReply,
    afterReply: calledFrom(lastReply ?? 0),
    callsSinceUser: calledFrom(lastUser ?? 0).length,
  };
}

const indexOf = ({ callIndex, resultIndex }: ToolExchange) => callIndex ?? resultIndex;

/** Names of tools that answer the user, pass the conversation on or end it, so that nothing needs to be said after them. */
const CLOSING_TOOL =
  /(?:transfer|hand_?off|escalat|final|finish|submit|done|complete|terminate|(?:^|_)(?:end|exit|stop|close|hang)|respond|reply|answer|send|message|email|notify|speak|say|tell|return|report|output|publish|post)/i;

/** Returns whether a conversation may properly end with a call of this tool. */
export const isClosingTool = (name: string): boolean => CLOSING_TOOL.test(name);

/** Characters. A closing remark is short; a longer message asks for something. */
const CLOSING_READ = 400;
const CLOSING =
  /\b(?:thank(?:s| you)|thx|cheers|bye|good ?bye|have a (?:great|good|nice|wonderful)|take care|that(?:[’']s| is| was| will be| would be|[’']ll be) (?:all|it|everything|fine|great|perfect|helpful)|all (?:set|good|clear)|no(?:thing)?(?: else)?,? (?:thanks|thank you|that)|nothing else|i[’']m (?:good|all set|done|fine)|never ?mind|got it|sounds good|perfect|appreciate)\b|#{2,3} ?(?:stop|end|transfer)|\b(?:danke|merci|gracias|grazie|obrigad[oa]|dank u|tack|dziękuję|teşekkür|adiós|tschüss|au revoir)\b|ありがと|谢谢|謝謝|감사|спасибо/i;

/** Returns whether a user's message closes the conversation rather than asking for anything. */
export const isClosing = (text: string): boolean => text.length <= CLOSING_READ && CLOSING.test(text);
