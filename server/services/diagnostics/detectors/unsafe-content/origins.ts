import { isByUser, type Message } from "@/server/services/telemetry/schemas";
import type { ConversationSnapshot } from "../../types";
import { textOf } from "../reading/text";
import { toolExchanges } from "../reading/tool-exchanges";

/** Tells who besides the assistant brought a value into a conversation. */
export type Origins = {
  fromUser: (value: string) => boolean;
  fromSystem: (value: string) => boolean;
  fromTools: (value: string) => boolean;
};

const SYSTEM_ROLES = new Set(["system", "developer"]);
const originsByConversation = new WeakMap<ConversationSnapshot, Origins>();

/** Returns a conversation's origins. Text is joined when the first value is looked up. Memoized per conversation. */
export function originsOf(conversation: ConversationSnapshot): Origins {
  let origins = originsByConversation.get(conversation);
  if (!origins) {
    const { messages } = conversation;
    const said = (is: (message: Message) => boolean) => () => messages.filter(is).map((message) => textOf(message));
    origins = {
      fromUser: lookup(said(isByUser)),
      fromSystem: lookup(said(({ role }) => SYSTEM_ROLES.has(role))),
      fromTools: lookup(() => [
        ...toolExchanges(conversation).flatMap(({ result }) => (result === null ? [] : [result])),
        ...said(({ role }) => role !== "user" && role !== "assistant" && !SYSTEM_ROLES.has(role))(),
        ...agentChatter(conversation),
      ]),
    };
    originsByConversation.set(conversation, origins);
  }
  return origins;
}

/**
 * Returns what one agent tells the next: what an inner agent is told, and an assistant's message that another follows, which does not
 * address the user.
 */
function agentChatter({ messages }: ConversationSnapshot): string[] {
  return messages
    .filter(
      ({ role, agent }, index) =>
        (role === "user" && agent !== null) || (role === "assistant" && messages[index + 1]?.role === "assistant"),
    )
    .map((message) => textOf(message));
}

const DIGITS_LEAST = 7;

/** Looks up a value as written, ignoring case, and a number by its digits. */
function lookup(read: () => string[]): (value: string) => boolean {
  let text: string | null = null;
  let digits: string | null = null;
  return (value) => {
    text ??= read().join("\n").toLowerCase();
    if (text.includes(value.toLowerCase())) return true;
    const number = value.replaceAll(/\D/g, "");
    if (number.length < DIGITS_LEAST || number.length < value.replaceAll(/[\s().+-]/g, "").length - 4) return false;
    digits ??= text.replaceAll(/(?<=\d)[\s().\-/]{1,3}(?=\d)/g, "");
    return digits.includes(number);
  };
}
