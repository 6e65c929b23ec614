import type { Message } from "@/server/services/telemetry/schemas";
import { textOf } from "./text";

/** `question` is the text of the last message to its speaker in the user's role, or "". */
export type SpokenMessage = { index: number; message: Message; text: string; question: string };

const spokenOf = new WeakMap<readonly Message[], readonly SpokenMessage[]>();

/** Returns the assistant's messages with text, in order. Memoized per list of messages. */
export function spokenMessages(messages: readonly Message[]): readonly SpokenMessage[] {
  let spoken = spokenOf.get(messages);
  if (!spoken) {
    // An inner agent replies to what it was told or, if it was handed the conversation, to the user.
    const questions = new Map<string | null, string>();
    spoken = messages.flatMap((message, index) => {
      const text = textOf(message);
      if (message.role === "user") questions.set(message.agent, text);
      const question = questions.get(message.agent) ?? questions.get(null) ?? "";
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
