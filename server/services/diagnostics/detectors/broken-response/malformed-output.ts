import type { Message } from "@/server/services/telemetry/schemas";
import type { ConversationSnapshot, DetectedSignal, Detector } from "../../types";
import { type SpokenMessage, spokenMessages } from "../reading/assistant-messages";
import { mergeByCause, quoteMessage } from "../reading/evidence";
import { memoizeLast } from "../reading/memoize-last";
import { isChangedByUs } from "../reading/not-the-applications";
import { fencedCode } from "../reading/prose";
import { textOf } from "../reading/text";

/** JSON was requested and the reply does not parse. */
const ASKED_SCORE = 0.9;
/** JSON was not requested, but the whole reply is an object that does not parse. */
const WHOLE_SCORE = 0.75;
/** A JSON block within prose is often an illustration, with `…` and comments. */
const ILLUSTRATION_SCORE = 0.4;
/** JSON was requested and the reply is prose, perhaps a question or an apology. */
const PROSE_SCORE = 0.45;

/** Characters around a block that still counts as the whole reply: its fences and a word or two. */
const FENCE_ALLOWANCE = 40;
/** Characters. Longer replies are not parsed. */
const PARSE_LIMIT = 262_144;
/** Characters of a request that are searched. */
const ASKED_READ = 20_000;
const ASKED_FOR_JSON =
  /\b(?:(?:respond|reply|answer|return|output|produce|generate|give|provide|format|write)\b[^.\n]{0,80}\b(?:valid |strict |raw |pure )?json\b|(?:only|just|valid|strict|raw) json\b|json (?:only|object only|format only)|in json(?: format)?\b|as (?:a )?(?:valid )?json\b)/i;
const asksForJson = (text: string) => /json/i.test(text) && ASKED_FOR_JSON.test(text);
const ASKED_FOR_JSON_ONLY =
  /\b(?:only|just|nothing (?:but|else)|no (?:other|additional|extra) text|strictly|must be)\b/i;
const ELISION = /\.\.\.|…|\/\/|\/\*|<[\w -]{1,40}>/;

export const malformedOutput: Detector = {
  signal: "malformed_output",
  severity: "high",
  enabledByDefault: true,
  looksFor:
    "An answer that should be JSON (because it was requested, or because the whole answer begins like JSON) but does not parse.",
  detect: (conversation) => {
    const wishesOf = wishes(conversation.messages);
    return mergeByCause(
      spokenMessages(conversation.messages)
        .filter(({ message }) => message.toolCalls.length === 0)
        .flatMap((spoken) => malformed(conversation, spoken, wishesOf(spoken.question))),
    );
  },
};

/** Whether JSON was requested, and whether exclusively. */
type Wishes = { json: boolean; jsonOnly: boolean };

/** Returns a function that reads what the instructions and a question request. */
function wishes(messages: readonly Message[]): (question: string) => Wishes {
  const system = messages
    .filter(({ role }) => role === "system" || role === "developer")
    .map(textOf)
    .join("\n")
    .slice(0, ASKED_READ);
  const standing = asksForJson(system);
  let standingOnly: boolean | undefined;
  return memoizeLast((question) => {
    const read = question.slice(0, ASKED_READ);
    const json = standing || asksForJson(read);
    if (json) standingOnly ??= ASKED_FOR_JSON_ONLY.test(system);
    return { json, jsonOnly: json && (standingOnly === true || ASKED_FOR_JSON_ONLY.test(read)) };
  });
}

type Reading = { score: number; cause: string };

function malformed({ messages }: ConversationSnapshot, spoken: SpokenMessage, asked: Wishes): DetectedSignal[] {
  const reading = readOutput(spoken.text, asked);
  if (!reading) return [];
  return [
    {
      name: "malformed_output",
      score: reading.score,
      verdict: reading.score >= WHOLE_SCORE ? "match" : "ambiguous",
      evidence: [quoteMessage(messages, spoken.index)],
      cause: reading.cause,
      title: `An answer is malformed: ${reading.cause}`,
      summary: `The answer begins “${spoken.text.trim().slice(0, 100)}”.`,
    },
  ];
}

function readOutput(text: string, asked: Wishes): Reading | null {
  if (text.length > PARSE_LIMIT || isChangedByUs(text)) return null;
  const answer = text.trim();
  const wanted = asked.json;
  const blocks = jsonBlocks(answer);
  const isWhole = looksLikeJson(answer);
  if (isWhole && !parses(answer)) {
    if (isLines(answer)) return null; // JSON Lines
    if (wanted && !isFollowedByProse(answer))
      return { score: ASKED_SCORE, cause: "json was asked for and does not parse" };
    if (wanted) return { score: WHOLE_SCORE, cause: "json was asked for and other text follows it" };
    return {
      score: ELISION.test(answer) ? ILLUSTRATION_SCORE : WHOLE_SCORE,
      cause: "an answer in json does not parse",
    };
  }
  const broken = blocks.find((block) => !parses(block) && !isLines(block));
  if (broken !== undefined) {
    const wholeBlock = broken.length > answer.length - FENCE_ALLOWANCE;
    if (wanted && wholeBlock) return { score: ASKED_SCORE, cause: "json was asked for and does not parse" };
    return { score: ILLUSTRATION_SCORE, cause: "a block of json does not parse" };
  }
  if (wanted && !isWhole && blocks.length === 0 && asked.jsonOnly && !containsJson(answer)) {
    return { score: PROSE_SCORE, cause: "json was asked for and prose came" };
  }
  return null;
}

/** Returns the bodies of closed fenced blocks marked as JSON. An unclosed one is a truncated reply. */
function jsonBlocks(text: string): string[] {
  if (!text.includes("```")) return [];
  return fencedCode(text).flatMap(([start, end]) => {
    const block = text.slice(start, end);
    const opening = /^```json\b[^\n]{0,40}\n/i.exec(block);
    return opening && block.length > 6 && block.endsWith("```") ? [block.slice(opening[0].length, -3).trim()] : [];
  });
}

/** Matches `{"key":`, `[{"` and `["`, with which prose does not begin. */
const looksLikeJson = (text: string) =>
  /^(?:\{\s{0,40}["'}]|\[\s{0,40}(?:\{\s{0,40}["']|"|\]))/.test(text.slice(0, 100));

/** Returns whether words follow the end of the JSON. */
const isFollowedByProse = (text: string) =>
  !/[\]}]$/.test(text) && /[\]}]\s{0,20}\n\s{0,20}\p{L}/u.test(text.slice(-2000));

const containsJson = (text: string) => /[[{]\s{0,40}["'{]/.test(text);

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isLines(text: string): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.length > 1 && lines.every(parses);
}
