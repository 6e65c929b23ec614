import { excerpt } from "@/server/platform/excerpt";
import type { ConversationSnapshot, DetectedSignal, Detector, Evidence } from "../../types";
import { spokenMessages } from "../reading/assistant-messages";
import { quoteMessage } from "../reading/evidence";
import { proseOf } from "../reading/prose";
import { textOf } from "../reading/text";
import { toolExchanges } from "../reading/tool-exchanges";

/** Score of one claim, and of each further one. Nothing here is decided without an adjudicator. */
const FIRST_SCORE = 0.4;
const NEXT_SCORE = 0.05;
const SCORE_MAXIMUM = 0.7;
/** The assistant says itself that it made the data up. */
const ASSUMED_SCORE = 0.6;

/** Amounts, links, addresses and ids, which an answer must have from a source. Each is searched for only if its hint occurs. */
const SPECIFICS: readonly { hint: RegExp; pattern: RegExp }[] = [
  { hint: /[$€£]/, pattern: /[$€£]\s?\d[\d,]{0,15}(?:\.\d{1,2})?/g },
  { hint: /http/, pattern: /https?:\/\/[^\s)"'<>\]]{4,200}/g },
  { hint: /@/, pattern: /[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{2,40}/g },
  {
    hint: /[A-Z]-?\d|\d[A-Z]/,
    pattern: /(?<![\w/.-])(?:[A-Z]{1,8}-?\d[A-Z0-9-]{2,16}|\d{1,8}[A-Z][A-Z0-9-]{3,16})(?![\w-])/g,
  },
];
const ASSUMED =
  /\b(?:let(?:[’']s| us| me) assume|(?:i|we)(?:[’']ll| will)? assume|assuming (?:that )?(?:the|we|these|this)|(?:simulated?|mock|dummy|made[- ]up|fabricated|fictional|hypothetical|placeholder) (?:data\w{0,3}|values?|results?|output|figures?|responses?|numbers?)|simulate the)\b/i;
const ASSUMED_HINTS = [
  "ssum",
  "imulat",
  "ock",
  "ummy",
  "ade up",
  "ade-up",
  "abricat",
  "ictional",
  "ypothet",
  "laceholder",
];
/** Limits on what is read: characters of a reply, replies, and specifics. */
const READ = 3000;
const REPLIES = 60;
const SPECIFICS_READ = 12;
const SHOWN = 5;

export const unsupportedClaim: Detector = {
  signal: "unsupported_claim",
  severity: "medium",
  enabledByDefault: true,
  reads: "before",
  looksFor:
    "An answer with amounts, links, addresses or ids that come from no tool, document or user. Only an adjudicator decides; without one this Signal stays silent.",
  needsAdjudicator: true,
  detect(conversation) {
    const found = candidates(conversation);
    return found ? [found] : [];
  },
};

function candidates(conversation: ConversationSnapshot): DetectedSignal | null {
  const { messages } = conversation;
  // Without any result everything is the model's own knowledge, which is not what this Rule is about.
  const first = toolExchanges(conversation).find(({ result }) => result !== null);
  if (!first) return null;
  const evidence: Evidence[] = [];
  let assumed: Evidence | null = null;
  let read = 0;
  const known = new Set<string>();
  for (const { index, message } of spokenMessages(messages).slice(0, REPLIES)) {
    const prose = proseOf(message).slice(0, READ);
    const mayAssume = !assumed && ASSUMED_HINTS.some((hint) => prose.includes(hint));
    const assumes: RegExpExecArray | null = mayAssume ? ASSUMED.exec(prose) : null;
    if (assumes) assumed = quoteMessage(messages, index, assumes.index);
    for (const { value, start } of read < SPECIFICS_READ ? specificsIn(prose) : []) {
      if (read === SPECIFICS_READ) break;
      if (known.has(value)) continue;
      known.add(value);
      read++;
      if (!saidBefore(conversation, index, value)) {
        evidence.push(quoteMessage(messages, index, start, start + value.length));
      }
    }
    if (evidence.length >= SHOWN) break;
  }
  if (!assumed && evidence.length === 0) return null;
  const score = Math.min(SCORE_MAXIMUM, FIRST_SCORE + NEXT_SCORE * (evidence.length - 1));
  const shown = assumed ? [assumed, ...evidence] : evidence;
  return {
    name: "unsupported_claim",
    score: assumed ? Math.max(ASSUMED_SCORE, score) : score,
    verdict: "ambiguous",
    evidence: shown.slice(0, SHOWN),
    cause: assumed ? "the answer rests on assumed data" : "specifics that no source has",
    title: assumed ? "An answer rests on assumed data" : "An answer states something that no tool returned",
    summary: assumed
      ? `The assistant said “${excerpt(shown[0]!.quote, 160)}”.`
      : `${evidence.length} ${evidence.length === 1 ? "value appears" : "values appear"} in no result, instruction or user message: ${evidence.map(({ quote }) => `“${excerpt(quote, 40)}”`).join(", ")}.`,
  };
}

function specificsIn(prose: string): { value: string; start: number }[] {
  const found = SPECIFICS.flatMap(({ hint, pattern }) =>
    hint.test(prose)
      ? Array.from(prose.matchAll(pattern), (match) => ({ value: match[0].replace(/[.,]+$/, ""), start: match.index }))
      : [],
  );
  return found.length > 1 ? found.sort((a, b) => a.start - b.start) : found;
}

/**
 * Returns whether a message by anyone but the assistant, or a tool call's arguments or result, contains the value. Searches
 * backwards, because the last result usually does.
 */
function saidBefore(conversation: ConversationSnapshot, before: number, value: string): boolean {
  const { messages } = conversation;
  const core = value.replace(/^[$€£]\s?/, "");
  const digits = core.replaceAll(",", "");
  const short = digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;
  const has = (text: string) => text.includes(core) || text.includes(short) || text.includes(digits);
  for (let index = before; index >= 0; index--) {
    const message = messages[index]!;
    if (message.role !== "assistant" && has(textOf(message))) return true;
  }
  return toolExchanges(conversation).some(
    ({ result, resultIsMessageText, arguments: sent }) =>
      (result !== null && !resultIsMessageText && has(result)) || has(sent),
  );
}
