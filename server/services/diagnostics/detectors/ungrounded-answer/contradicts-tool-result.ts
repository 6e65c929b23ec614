import { excerpt } from "@/server/platform/excerpt";
import type { ConversationSnapshot, DetectedSignal, Detector } from "../../types";
import { spokenMessages } from "../reading/assistant-messages";
import { mergeByCause, quoteMessage } from "../reading/evidence";
import { proseOf } from "../reading/prose";
import { resultFacts } from "../reading/result-facts";
import { sentenceAround } from "../reading/sentence";
import { type StatedValue, statedValues } from "../reading/stated-values";
import { textOf } from "../reading/text";
import { quoteExchange, type ToolExchange, toolExchanges } from "../reading/tool-exchanges";
import { isReadingTool } from "../reading/tool-kinds";
import { contradiction } from "./contradiction";

const CERTAIN_SCORE = 0.85;
/** A number that may have been computed, or a reply that mentions a change. */
const PERHAPS_SCORE = 0.45;
/** Characters of a reply that are read. */
const READ = 4000;
/** Values under one name, in several results or a list, that a statement is compared with. */
const FACTS = 12;
/** Characters around a statement that show what it refers to. */
const AROUND = 120;
/** The statement may refer to the state after a change, to a proposal or to something else. */
const OF_A_CHANGE =
  /\b(?:new|updated?|chang\w{1,4}|after|difference|estimated?|would|will|proposed|option|if|total of|instead|exchange|modif\w{1,6}|upgrad\w{1,4}|refund(?:s|ed)?|example)\b/i;

export const contradictsToolResult: Detector = {
  signal: "contradicts_tool_result",
  severity: "high",
  enabledByDefault: true,
  reads: "before",
  looksFor:
    "An answer that states a different status, date, id, number, yes or no than the tool just returned under the same name.",
  detect: (conversation) => mergeByCause(contradictionsIn(conversation)),
};

function contradictionsIn(conversation: ConversationSnapshot): DetectedSignal[] {
  const { messages } = conversation;
  const exchanges = toolExchanges(conversation);
  if (!exchanges.some(({ result }) => result !== null)) return [];
  const found: DetectedSignal[] = [];
  let next = 0;
  let turn: ToolExchange[] = [];
  for (const { index, message } of spokenMessages(messages)) {
    const before = next;
    while (next < exchanges.length && (exchanges[next]!.resultIndex ?? index) < index) next++;
    // Results since the assistant last spoke; what an earlier one said may have changed.
    turn = message.toolCalls.length > 0 && next === before ? turn : exchanges.slice(before, next);
    const fresh = afterLastChange(turn);
    if (!fresh.some(({ result }) => result !== null && IS_JSON.test(result))) continue;
    const prose = proseOf(message).slice(0, READ);
    for (const stated of statedValues(prose)) {
      const signal = contradicted(conversation, index, stated, fresh);
      if (signal) found.push(signal);
    }
  }
  return found;
}

/** Only fields have names that a reply can repeat. */
const IS_JSON = /^\s{0,20}[{[]/;

/** Returns the exchanges after the last one that may have changed something, which makes the earlier ones stale. */
function afterLastChange(exchanges: readonly ToolExchange[]): readonly ToolExchange[] {
  const change = exchanges.findLastIndex(({ name }) => !isReadingTool(name));
  return change < 0 ? exchanges : exchanges.slice(change);
}

function contradicted(
  conversation: ConversationSnapshot,
  index: number,
  { label, value, start, end }: StatedValue,
  fresh: readonly ToolExchange[],
): DetectedSignal | null {
  const written = writtenKeys(label);
  const held = fresh.flatMap((exchange) =>
    exchange.result !== null && written.some((key) => exchange.result!.includes(key))
      ? [...(resultFacts(exchange).get(label) ?? [])].map((fact) => ({ exchange, fact }))
      : [],
  );
  if (held.length === 0 || held.length > FACTS) return null;
  // With several orders or flights, the statement has to contradict each of them.
  const hows = held.map(({ fact }) => contradiction(label, value, fact));
  const how = hows.at(-1);
  if (!how || hows.some((one) => one === null)) return null;
  if (occurs(conversation, index, value, how.kind === "status" || how.kind === "yes/no")) return null;
  const { exchange, fact } = held.at(-1)!;
  // The reply states the tool's value as well: it compares the two.
  const text = textOf(conversation.messages[index]!);
  const folded = text.toLowerCase();
  if (how.kind !== "yes/no" && held.some((one) => folded.includes(String(one.fact).toLowerCase()))) return null;
  const ofAChange = OF_A_CHANGE.test(text.slice(Math.max(0, start - AROUND), end + AROUND));
  const isExplained = how.kind === "number" && (held.length > 1 || isComputed(value, fresh));
  const certain = hows.every((one) => one?.certain) && !ofAChange && !isExplained;
  const [from] = sentenceAround(text, start, end);
  return {
    name: "contradicts_tool_result",
    score: certain ? CERTAIN_SCORE : PERHAPS_SCORE,
    verdict: certain ? "match" : "ambiguous",
    evidence: [quoteMessage(conversation.messages, index, from, end), quoteExchange(conversation, exchange)],
    cause: `${exchange.name}: ${label}: another ${how.kind}`,
    title: `An answer states a different \`${label}\` than \`${exchange.name}\` returned`,
    summary: `\`${exchange.name}\` returned ${label} “${excerpt(String(fact), 60)}”, and the assistant said “${excerpt(text.slice(from, end), 160)}”.`,
  };
}

/** Returns the key as written in JSON, in snake or camel case. Searching for it is cheaper than parsing. */
const writtenKeys = (key: string): string[] => [
  `"${key}"`,
  ...(key.includes("_") ? [`"${key.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())}"`] : []),
];

/** Returns whether anyone else said the value before; a yes or a status is too common a word to tell where it came from. */
function occurs({ messages }: ConversationSnapshot, before: number, value: string, isWord: boolean): boolean {
  if (isWord) return false;
  const core = value.replace(/^[^\w]+|[^\w%]+$/g, "");
  const forms = [core, core.replaceAll(",", ""), core.replace(/\.?0+$/, "")].filter((form) => form.length > 0);
  for (let index = before - 1; index >= 0; index--) {
    if (messages[index]!.role === "assistant") continue;
    const text = textOf(messages[index]!);
    if (forms.some((form) => text.includes(form))) return true;
  }
  return false;
}

/** Maximum numbers from results that are combined to explain a stated one. */
const NUMBERS = 60;

/** Returns whether a number is a sum, difference or multiple of numbers that the tools returned. */
function isComputed(value: string, fresh: readonly ToolExchange[]): boolean {
  const said = Math.abs(Number(/-?[\d,]+(?:\.\d+)?/.exec(value)?.[0].replaceAll(",", "") ?? Number.NaN));
  const numbers = fresh
    .flatMap((exchange) => [...resultFacts(exchange).values()].flatMap((values) => [...values]))
    .filter((fact): fact is number => typeof fact === "number")
    .slice(0, NUMBERS);
  const near = (other: number) => Math.abs(Math.abs(other) - said) < 0.02 + said * 0.001;
  if (near(numbers.reduce((sum, number) => sum + number, 0))) return true;
  return numbers.some((a, at) => {
    const times = said / a;
    if (Number.isInteger(Math.round(times * 1000) / 1000) && times > 1 && times <= 20) return true;
    return numbers.some((b, other) => other > at && (near(a + b) || near(a - b) || near(a * b)));
  });
}
