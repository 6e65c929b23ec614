import type { Message } from "@/server/services/telemetry/schemas";
import { textOf } from "./text";

/** `question` is the text of the last user message before it, or "". */
export type SpokenMessage = { index: number; message: Message; text: string; question: string };

const spokenOf = new WeakMap<readonly Message[], readonly SpokenMessage[]>();

/** Returns the assistant's messages with text, in order. Memoized per list of messages. */
export function spokenMessages(messages: readonly Message[]): readonly SpokenMessage[] {
  let spoken = spokenOf.get(messages);
  if (!spoken) {
    let question = "";
    spoken = messages.flatMap((message, index) => {
      const text = textOf(message);
      if (message.role === "user") question = text;
      return message.role === "assistant" && text.trim() !== "" ? [{ index, message, text, question }] : [];
    });
    spokenOf.set(messages, spoken);
  }
  return spoken;
}

/** Returns whether a message by anyone but the assistant contains `needle`, so that a reply may refer to it. */
export function saidByOthers(messages: readonly Message[], needle: string): boolean {
  return messages.some((message) => message.role !== "assistant" && textOf(message).includes(needle));
}
