import { z } from "zod";
import { quoteMessage } from "../detectors/reading/evidence";
import { textOf } from "../detectors/reading/text";
import type { Candidate, RuleOccurrence } from "../rules";
import type { ConversationSnapshot, Evidence } from "../types";

/** The required form of the model's reply. Extra fields are ignored because local models add some. */
export const answerSchema = z.object({
  verdict: z.enum(["match", "no_match"]),
  quotes: z.array(z.string()).max(100),
  reason: z.string(),
  confidence: z.number().min(0).max(1).nullish(),
});
export type Answer = z.infer<typeof answerSchema>;

/** The same as JSON Schema, for endpoints that can enforce one. */
export const ANSWER_JSON_SCHEMA = {
  type: "object",
  additionalProperties: false,
  required: ["verdict", "quotes", "reason", "confidence"],
  properties: {
    verdict: { type: "string", enum: ["match", "no_match"] },
    quotes: { type: "array", items: { type: "string" } },
    reason: { type: "string" },
    confidence: { type: "number" },
  },
};

const REASONING_END = /<\/(?:think|thinking|reasoning)>/gi;
const REPLY_CHARACTERS = 100_000;
/** Maximum number of JSON objects tried in one reply. */
const OBJECTS_TRIED = 50;

/** Returns the object in a model's reply that matches a schema, skipping reasoning and wrapping; `null` if there is none. */
export function readObject<T>(reply: string, schema: z.ZodType<T>): T | null {
  const whole = reply.slice(-REPLY_CHARACTERS);
  const text = whole.slice([...whole.matchAll(REASONING_END)].at(-1)?.index ?? 0);
  const starts = [...text.matchAll(/\{/g)].map(({ index }) => index).slice(-OBJECTS_TRIED);
  // Starts from the last one: reasoning precedes the conclusion and may quote an object from the conversation.
  for (const start of starts.reverse()) {
    const parsed = schema.safeParse(objectAt(text, start));
    if (parsed.success) return parsed.data;
  }
  return null;
}

/** Returns the JSON object that starts at an offset; `undefined` if there is none. */
function objectAt(text: string, start: number): unknown {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (inString) {
      if (character === "\\") at++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{") depth++;
    else if (character === "}" && --depth === 0) {
      try {
        return JSON.parse(text.slice(start, at + 1));
      } catch {
        return undefined;
      }
    }
  }
  return undefined;
}

/** A quote supports a Signal only within this many messages of those that its detector points at. */
const NEAR_MESSAGES = 3;
const QUOTE_MIN = 3;
const QUOTE_MAX = 2_000;
const QUOTES_KEPT = 5;

/** Confidence of an adjudicated match: the model's own, capped because it has not been measured, or this default. */
const UNSTATED_CONFIDENCE = 0.75;
const MAX_CONFIDENCE = 0.9;

/**
 * Returns the candidate as a match, with the answer's quotes that were found as additional evidence; `null` if none of them
 * occurs in the conversation near what the detector points at.
 */
export function supportedMatch(
  answer: Answer,
  candidate: Candidate,
  conversation: ConversationSnapshot,
): RuleOccurrence | null {
  const quotes = answer.quotes.slice(0, QUOTES_KEPT).flatMap((quote) => locate(quote, candidate, conversation) ?? []);
  if (quotes.length === 0) return null;
  const confidence = Math.min(MAX_CONFIDENCE, answer.confidence ?? UNSTATED_CONFIDENCE);
  const known = new Set(candidate.evidence.map(placeOf));
  const evidence = [...candidate.evidence, ...quotes.filter((one) => !known.has(placeOf(one)))];
  return { ...candidate, verdict: "match", confidence, evidence };
}

const placeOf = ({ messageIndex, spanId, start, end }: Evidence) => `${messageIndex ?? spanId ?? ""} ${start} ${end}`;

/** Returns the position of a quote near the candidate's own evidence; `null` if it is not there. Whitespace may differ. */
function locate(quote: string, { evidence }: Candidate, { messages }: ConversationSnapshot): Evidence | null {
  const words = quote.slice(0, QUOTE_MAX).split(/\s+/).filter(Boolean);
  if (words.join("").length < QUOTE_MIN) return null;
  const pattern = new RegExp(words.map(escaped).join("\\s+"), "u");
  const recorded = evidence.find(({ messageIndex, quote: own }) => messageIndex === null && pattern.test(own));
  if (recorded) return recorded;
  const isEverywhere = evidence.every(({ messageIndex }) => messageIndex === null);
  const pointed = evidence.flatMap(({ messageIndex }) => messageIndex ?? []);
  const distance = (index: number) => Math.min(...pointed.map((one) => Math.abs(one - index)));
  const near = messages
    .map((_, index) => index)
    .filter((index) => isEverywhere || distance(index) <= NEAR_MESSAGES)
    .sort((a, b) => (isEverywhere ? a - b : distance(a) - distance(b) || a - b));
  for (const index of near) {
    const found = pattern.exec(textOf(messages[index]!));
    if (found) return quoteMessage(messages, index, found.index, found.index + found[0].length);
  }
  return null;
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
