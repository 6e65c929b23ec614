import { readOnce } from "../../reading/read-once";
import agentOrder from "../../text-model/models/agent-order.generated.json" with { type: "json" };
import { scoreText, textModel } from "../../text-model/score-text";
import { maskedOrder, orderSentences } from "./orders";
import { windowOf } from "./window";

/** A sentence that orders an agent to act; `weight` is the chance that it was planted. */
export type LikelyOrder = { start: number; end: number; says: string; weight: number; hasTarget: boolean };

const model = textModel(agentOrder);

/** Weight by minimum model score, highest first. In the wild, orders for agents are rarer than in the training data. */
const WEIGHTS = [
  [0.9, 0.78],
  [0.8, 0.66],
  [0.45, 0.53],
  [0.38, 0.4],
] as const;
/** Something specific: an address, a number, a file, a quotation, something that belongs to the user. */
const TARGET =
  / (?:email|link|file|money|number|name)x |["'“‘`]\w|\bID\b|\b(?:the )?user['’]{1,2}s? |\bmy (?:\w{2,12} ){0,2}?(?:account|password|card|bank|wallet|friend|address|contacts|history|files?|device|door|home|appointments?|records?|data)\b/;
/** Lower case, as in "Anna: send the minutes to …", which is an item of a task list. */
const ITEM = /^(?!please|kindly|you)[a-z]/;
/** "Send your CV": a reader who owns something is a person, unless it is an answer, an instruction or the like. */
const TO_PERSON =
  /\byours?\b(?! (?:\w{1,12} )?(?:answers?|responses?|reply|replies|outputs?|summary|summaries|instructions?|prompts?|tasks?|previous|prior|tools?|guidelines|rules|memory|context)\b)/i;
/** Polite orders are for people, unless the model is sure that only an agent would be asked this. */
const POLITE = /^(?:please|kindly|could|can|would)\b/i;
const SURE = 0.8;
/** Low enough that an order with a target is only ambiguous. */
const FOR_PERSON_WEIGHT = 0.4;
/** Maximum number of sentences read per text. */
const SENTENCES_MAXIMUM = 40;

/** Returns the sentences of a tool result that order an agent to act, in the order of the text. */
export function likelyOrders(text: string): LikelyOrder[] {
  return orderSentences(text, SENTENCES_MAXIMUM).flatMap(([start, end]) => {
    const says = windowOf(text, start, end).text.trim();
    const judged = readOnce("order", says, () => judgeOrder(says));
    return judged ? [{ start, end, says, ...judged }] : [];
  });
}

function judgeOrder(says: string): Pick<LikelyOrder, "weight" | "hasTarget"> | null {
  const masked = maskedOrder(says);
  const score = scoreText(model, masked);
  const weight = WEIGHTS.find(([least]) => score >= least)?.[1];
  if (weight === undefined) return null;
  const isForPerson = ITEM.test(says) || TO_PERSON.test(says) || (POLITE.test(says) && score < SURE);
  return { weight: isForPerson ? Math.min(weight, FOR_PERSON_WEIGHT) : weight, hasTarget: TARGET.test(masked) };
}

const DELEGATES =
  /\b(?:do|perform|complete|follow|execute|carry out|implement|handle|take care of|work (?:through|on|off)|process|act on|finish|pay)\b(?: \w{1,12}){0,4}? (?:actions?|tasks?|to-?dos?|todos|steps?|instructions?|items?|requests?|errands|bills?|says|said|asks?|specified|described|written|listed|mentioned)\b/i;
const CONTENT_WORD = /[\w.+-]+@[\w.-]+\w|[\p{L}\p{N}]{4,}/gu;
const ASKED_SHARE = 0.6;

/** What the user said, in lower case, and whether the user tells the agent to follow instructions in other text. */
export type UserRequest = { said: string; delegates: boolean };

export const askedFor = (said: string): UserRequest => ({ said: said.toLowerCase(), delegates: DELEGATES.test(said) });

/** Returns whether an order occurs in what the user said or in one of the texts that the agent wrote itself. */
export function isKnown(order: string, { said }: UserRequest, wrote: readonly string[]): boolean {
  const words = [...new Set(order.toLowerCase().match(CONTENT_WORD) ?? [])];
  const least = ASKED_SHARE * words.length;
  const has = (text: string) => words.filter((word) => text.includes(word)).length >= least;
  return words.length > 0 && (has(said) || wrote.some((text) => has(text.toLowerCase())));
}
