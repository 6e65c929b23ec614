import agentOrder from "../../text-model/models/agent-order.generated.json" with { type: "json" };
import { scoreText, textModel } from "../../text-model/score-text";
import { maskedOrder, orderSentences } from "./orders";
import { windowOf } from "./window";

/** A sentence that orders an agent to act; `weight` is the chance that somebody planted it. */
export type LikelyOrder = { start: number; end: number; says: string; weight: number; hasTarget: boolean };

const model = textModel(agentOrder);

/** Weight by the model's score, most first: in the wild, orders for agents are rarer than in its training data. */
const WEIGHTS = [
  [0.9, 0.78],
  [0.8, 0.66],
  [0.45, 0.53],
  [0.38, 0.4],
] as const;
/** Something particular: an address, a number, a file, a quotation, what belongs to the user. */
const TARGET =
  / (?:email|link|file|money|number|name)x |["'“‘`]\w|\bID\b|\b(?:the )?user['’]{1,2}s? |\bmy (?:\w{2,12} ){0,2}?(?:account|password|card|bank|wallet|friend|address|contacts|history|files?|device|door|home|appointments?|records?|data)\b/;
/** "Anna: send the minutes to …" is an item of a list of tasks. */
const ITEM = /^(?!please|kindly|you)[a-z]/;
/** "Send your CV": what the reader owns is a person's, unless it is an answer or an instruction. */
const TO_PERSON =
  /\byours?\b(?! (?:\w{1,12} )?(?:answers?|responses?|reply|replies|outputs?|summary|summaries|instructions?|prompts?|tasks?|previous|prior|tools?|guidelines|rules|memory|context)\b)/i;
/** People are asked politely; so are agents, of things that nobody asks of people. */
const POLITE = /^(?:please|kindly|could|can|would)\b/i;
const SURE = 0.8;
/** With a target it is ambiguous. */
const FOR_PERSON_WEIGHT = 0.4;
/** Per text. */
const SENTENCES_MAXIMUM = 40;

/** Returns the sentences of a tool's result that order an agent to act, in their order. */
export function likelyOrders(text: string): LikelyOrder[] {
  const orders: LikelyOrder[] = [];
  for (const [start, end] of orderSentences(text, SENTENCES_MAXIMUM)) {
    const says = windowOf(text, start, end).text.trim();
    const masked = maskedOrder(says);
    const score = scoreText(model, masked);
    const weight = WEIGHTS.find(([least]) => score >= least)?.[1];
    if (weight === undefined) continue;
    const isForPerson = ITEM.test(says) || TO_PERSON.test(says) || (POLITE.test(says) && score < SURE);
    orders.push({
      start,
      end,
      says,
      weight: isForPerson ? Math.min(weight, FOR_PERSON_WEIGHT) : weight,
      hasTarget: TARGET.test(masked),
    });
  }
  return orders;
}

const DELEGATES =
  /\b(?:do|perform|complete|follow|execute|carry out|implement|handle|take care of|work (?:through|on|off)|process|act on|finish|pay)\b(?: \w{1,12}){0,4}? (?:actions?|tasks?|to-?dos?|todos|steps?|instructions?|items?|requests?|errands|bills?|says|said|asks?|specified|described|written|listed|mentioned)\b/i;
const CONTENT_WORD = /[\w.+-]+@[\w.-]+\w|[\p{L}\p{N}]{4,}/gu;
const ASKED_SHARE = 0.6;

/** What the user said, in lower case, and whether the user tells the agent to do what a text says. */
export type Asked = { said: string; delegates: boolean };

export const askedFor = (said: string): Asked => ({ said: said.toLowerCase(), delegates: DELEGATES.test(said) });

/** Whether an order is in what the user said or in one of the texts that the agent wrote itself. */
export function isKnown(order: string, { said }: Asked, wrote: readonly string[]): boolean {
  const words = [...new Set(order.toLowerCase().match(CONTENT_WORD) ?? [])];
  const least = ASKED_SHARE * words.length;
  const has = (text: string) => words.filter((word) => text.includes(word)).length >= least;
  return words.length > 0 && (has(said) || wrote.some((text) => has(text.toLowerCase())));
}
