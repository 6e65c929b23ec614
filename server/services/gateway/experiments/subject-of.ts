import { createHash } from "node:crypto";
import type { Io } from "@/server/platform/stream-verb";
import { userOf } from "../calls/dialect";
import { type Fields, fieldsOf, listOf, textOf } from "../calls/fields";
import { callerOf } from "../recording/caller";

/** By what a call is known to belong to a conversation. */
export type Subject = {
  hash: string;
  /** Whether it is the conversation itself, or only a response that was part of it. */
  names: "conversation" | "response";
  /** Whether the next calls name it again, rather than what they continue. */
  isRepeated: boolean;
};

/** Of a first message, what tells conversations apart. */
const CHARACTERS = 20_000;

/** Conversations are known by hashes: an experiment need not say which ones it had. */
const hashOf = (kind: string, text: string) =>
  createHash("sha256").update(`${kind} ${text}`).digest("hex").slice(0, 32);

export const responseHash = (id: string) => hashOf("response", id);

/** Returns the subject of a call: what its client names, what it continues, or its first message; `null` if it has nothing. */
export function subjectOf(fields: Fields, headers: Io["headers"]): Subject | null {
  const { conversationId } = callerOf(fields, headers);
  const stored = textOf(fields.conversation) ?? textOf(fieldsOf(fields.conversation).id);
  const named = conversationId ?? stored;
  if (named !== null) return { hash: hashOf("conversation", named), names: "conversation", isRepeated: true };
  const previous = textOf(fields.previous_response_id);
  if (previous !== null) return { hash: responseHash(previous), names: "response", isRepeated: false };
  const first = firstMessage(fields);
  if (first === null) return null;
  const words = JSON.stringify([userOf(fields), first.slice(0, CHARACTERS)]);
  return { hash: hashOf("first message", words), names: "conversation", isRepeated: false };
}

/** Returns what the user says first: every call of a conversation repeats it, unless it names a stored response. */
function firstMessage({ messages, input }: Fields): string | null {
  if (typeof input === "string") return textOf(input);
  const said = [...listOf(messages), ...listOf(input)].map(fieldsOf).find(({ role }) => role === "user");
  return said === undefined ? null : textOf(wordsIn(said.content));
}

function wordsIn(content: unknown): string {
  if (typeof content === "string") return content;
  return listOf(content)
    .map((part) => {
      const { text, image_url: image } = fieldsOf(part);
      return textOf(text) ?? (textOf(image) ?? textOf(fieldsOf(image).url) ?? "").slice(0, CHARACTERS);
    })
    .join("\n");
}
