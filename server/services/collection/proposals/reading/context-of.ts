import { type ConversationSnapshot, textOf } from "@/server/services/diagnostics/detectors/reading";
import { isByUser } from "@/server/services/telemetry/schemas";
import { before } from "../drafts";

/** Meaningful words: of four letters or more, numbers of any length, and character pairs in scripts without spaces. */
const WORDS = /\p{N}+|[\p{L}\p{M}]{4,}/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** Words typical of corrections and complaints, and other words without content. */
const EMPTY = new Set(
  "that this what when where which with have from your about said meant mean asked wanted want told correct wrong right incorrect mistaken mistake mistook actually sorry please again already still isnt dont didnt wasnt answer correction should would could there here they them then than also just only like need tell okay thanks thank true false misunderstood misread confusing being been were will does doing look read check falsch nicht richtig korrekt meinte wollte habe eine einen dass faux voulais dire était pour avec incorrecto quise decir pero para sobre".split(
    " ",
  ),
);
/** Share of the user's words already in the context from which the user counts as only repeating it. */
const REPEATED = 0.75;

/** Returns the meaningful words of a text. */
export function wordsOf(text: string): Set<string> {
  const words = (text.toLowerCase().match(WORDS) ?? []).flatMap((word) =>
    UNSPACED.test(word) ? [...word].slice(1).map((character, at) => `${word[at]}${character}`) : [word],
  );
  return new Set(words.filter((word) => !EMPTY.has(word)));
}

const textsOf = ({ messages }: ConversationSnapshot, indexes: readonly number[]) =>
  indexes.map((index) => textOf(messages[index]!)).join("\n");

/**
 * Returns whether the user's words between two messages only repeat what was said before the first, so that the later answer
 * could have been given there.
 */
export function addsNothing(conversation: ConversationSnapshot, failed: number, answered: number): boolean {
  const known = wordsOf(textsOf(conversation, before(failed)));
  const between = before(answered).filter((index) => index > failed && isByUser(conversation.messages[index]!));
  const words = [...wordsOf(textsOf(conversation, between))];
  const unknown = words.filter((word) => !known.has(word));
  return unknown.length <= (1 - REPEATED) * words.length && !unknown.some((word) => IS_NUMBER.test(word));
}
const IS_NUMBER = /^\p{N}/u;

/** Returns the messages before a failed answer, plus the calls and results that a later answer is based on. */
export function withLaterCalls(conversation: ConversationSnapshot, failed: number, answered: number): number[] {
  const { messages } = conversation;
  const isCall = (index: number) => messages[index]!.toolCalls.length > 0 || !SPEAKS.has(messages[index]!.role);
  return before(answered).filter((index) => index < failed || (index > failed && isCall(index)));
}
const SPEAKS = new Set(["assistant", "user", "system", "developer"]);
