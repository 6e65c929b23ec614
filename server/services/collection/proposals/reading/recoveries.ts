import { parseJson } from "@/server/platform/json/json-text";
import {
  type ConversationSnapshot,
  type ToolExchange,
  textOf,
  toolExchanges,
  toolFailures,
} from "@/server/services/diagnostics/detectors/reading";
import type { LeftCode } from "../types";
import { type Answer, answers, isComplete, isFailing } from "./answers";
import { addsNothing } from "./context-of";

/** How many of the calls after a failed one may be its recovery with the same tool. */
const CALLS_BETWEEN_MAX = 4;

/**
 * Returns the later call of the same tool that succeeded where `failed` did not, if the assistant could have made it in the
 * first place: its arguments had all been mentioned before, and the user said nothing in between.
 */
export function recoveredCall(
  conversation: ConversationSnapshot,
  failed: ToolExchange,
): { callIndex: number } | LeftCode {
  const exchanges = toolExchanges(conversation);
  const { callIndex: at } = failed;
  const isAlone = (one: ToolExchange) => exchanges.filter(({ callIndex }) => callIndex === one.callIndex).length === 1;
  if (at === null || !isAlone(failed)) return "no_better_answer";
  const failures = new Set(toolFailures(conversation).map(({ exchange }) => exchange));
  const nth = exchanges.indexOf(failed);
  const next = exchanges
    .slice(nth + 1, nth + 1 + CALLS_BETWEEN_MAX)
    .find((one) => one.name === failed.name && one.callIndex !== null && !failures.has(one));
  if (!next || next.callIndex === null || next.result === null || !isAlone(next)) return "no_better_answer";
  const { callIndex } = next;
  if (conversation.messages.slice(at, callIndex).some(({ role }) => role === "user"))
    return "depends_on_later_messages";
  return isPutRight(conversation, failed, next) ? { callIndex } : "depends_on_later_messages";
}

/** If more values differ from the failed call's, it is another call rather than the corrected one. */
const CHANGED_MAX = 4;
/** Share of common characters from which one value counts as a variant of the other. */
const LIKE = 0.6;

/**
 * Returns whether a call corrects the failed one: with values mentioned before instead of invented ones, or in another format.
 */
function isPutRight(conversation: ConversationSnapshot, failed: ToolExchange, next: ToolExchange): boolean {
  const [wrong, right] = [leavesOf(parseJson(failed.arguments)), leavesOf(parseJson(next.arguments))];
  const changed = [...right].filter(([path, value]) => wrong.get(path) !== value);
  const dropped = [...wrong].filter(([path]) => !right.has(path));
  // The same arguments again: the tool recovered, so there is nothing to learn.
  if (changed.length > CHANGED_MAX || changed.length + dropped.length === 0) return false;
  const said = conversation.messages.slice(0, failed.callIndex!).map((message) => textOf(message));
  const results = toolExchanges(conversation).flatMap(({ result, resultIndex }) =>
    result !== null && resultIndex !== null && resultIndex < failed.callIndex! ? [result] : [],
  );
  const isSaid = saidIn([...said, ...results].join("\n"));
  return changed.every(([path, raw]) => {
    const given = wrong.get(path) ?? dropped[0]?.[1];
    const value = plain(raw);
    if (given === undefined) return isSaid(value);
    const old = plain(given);
    return old === value || (!isSaid(old) && (isLike(old, value) || isSaid(value)));
  });
}

/** Text may contain shorter values by chance, so these have to match whole words. */
const SHORT = 4;

/** Returns a function that returns whether the text contains a value, ignoring punctuation. */
function saidIn(text: string): (value: string) => boolean {
  const joined = plain(text);
  const words = new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  return (value) => (value.length < SHORT ? words.has(value) : joined.includes(value));
}

/** Returns whether one value is contained in the other, or begins and ends like it. */
function isLike(a: string, b: string): boolean {
  if (Math.min(a.length, b.length) < SHORT) return false;
  if (a.includes(b) || b.includes(a)) return true;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return start + end >= LIKE * Math.max(a.length, b.length);
}

/** Letters and digits only: "w123" counts as a mention of "#W123". */
const plain = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
/** Returns the values of arguments by path. */
function leavesOf(value: unknown, path = ""): Map<string, string> {
  if (typeof value !== "object" || value === null) return new Map([[path, String(value)]]);
  return new Map(Object.entries(value).flatMap(([key, inner]) => [...leavesOf(inner, `${path}/${key}`)]));
}

/**
 * Returns the answer that achieved what a failed one did not, if it could have been given in its place: the next complete one,
 * if the user accepted it, or if it replaced a broken one without being asked for.
 */
export function recoveredAnswer(
  conversation: ConversationSnapshot,
  failed: number,
  isBroken: boolean,
): Answer | LeftCode {
  if (conversation.messages[failed]!.toolCalls.length > 0) return "no_better_answer";
  const next = answers(conversation).find((answer) => answer.index > failed && isComplete(conversation, answer));
  if (!next || isFailing(conversation, next.index) || PROMISES.test(next.text)) return "no_better_answer";
  const isRetry = isBroken && next.question !== null && next.question.index < failed;
  if (next.reaction !== "accepts" && !(isRetry && next.reaction !== "objects")) return "no_better_answer";
  // An answer after a failed call that no later call made good is not a recovery.
  const failures = new Set(toolFailures(conversation).map(({ exchange }) => exchange));
  const called = toolExchanges(conversation).filter(({ callIndex }) => callIndex !== null && callIndex < next.index);
  const last = called.at(-1);
  if (called.some((one) => failures.has(one) && (one === last || one.callIndex! > failed))) return "no_better_answer";
  return addsNothing(conversation, failed, next.index) ? next : "depends_on_later_messages";
}

/** Announces something still to be done. */
const PROMISES =
  /\b(?:i(?:[’']ll| will| am going to|[’']m going to)|let me|let[’']s|one moment|ich werde|je vais|voy a)\b(?! know)/i;
