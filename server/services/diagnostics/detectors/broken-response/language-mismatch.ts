import { excerpt } from "@/server/platform/excerpt";
import { type DetectedLanguage, detectLanguage, isPlainlyEnglish } from "@/server/platform/language/detect-language";
import { languageName } from "@/server/platform/language/names";
import { FUNCTION_WORDS } from "@/server/platform/language/words";
import type { Message } from "@/server/services/telemetry/schemas";
import type { ConversationSnapshot, DetectedSignal, Detector } from "../../types";
import { type SpokenMessage, spokenMessages } from "../reading/assistant-messages";
import { mergeByCause, quoteMessage } from "../reading/evidence";
import { fencedCode, proseIn, proseOf } from "../reading/prose";
import { blank, textOf } from "../reading/text";
import { standingLanguage, type WantedLanguage, wantedLanguage } from "./language/wanted-language";

const MATCH_SCORE = 0.7;
/** Languages too similar to be distinguished in a short text. */
const NEAR: readonly ReadonlySet<string>[] = [
  new Set(["da", "no", "sv"]),
  new Set(["id", "ms"]),
  new Set(["es", "ca", "gl", "pt"]),
  new Set(["ru", "uk", "bg", "sr"]),
  new Set(["ar", "fa", "ur"]),
  new Set(["cs", "sk"]),
];
/** A language requested by name is more certain than the language of a question. */
const ASKED_BONUS = 0.1;
/** Score of a reply in Latin letters when none of the requested languages uses them, whatever language it is in. */
const SCRIPT_SCORE = 0.72;
const SCRIPT_LETTERS_MINIMUM = 80;
const SCRIPT_SHARE = 0.9;
const isLatin = (language: string) => language in FUNCTION_WORDS || language === "no";

export const languageMismatch: Detector = {
  signal: "language_mismatch",
  severity: "medium",
  enabledByDefault: true,
  reads: "before",
  looksFor:
    "An answer in a different language from the one requested by name or, if none was requested, from the one that the user wrote in.",
  detect: (conversation) => mergeByCause(mismatches(conversation)),
};

function mismatches(conversation: ConversationSnapshot): DetectedSignal[] {
  const standing = standingRequest(conversation);
  const wantedBy = new Map<string, WantedLanguage | null>();
  let asked: WantedLanguage | null = standing;
  let question = "";
  return spokenMessages(conversation.messages).flatMap((spoken) => {
    if (spoken.question !== question) {
      question = spoken.question;
      if (!wantedBy.has(question)) wantedBy.set(question, wantedLanguage(proseIn(question)));
      const wanted = wantedBy.get(question);
      if (wanted?.asked) asked = wanted; // applies until another language is requested
    }
    const wanted = asked ?? wantedBy.get(question) ?? null;
    return wanted && spoken.message.toolCalls.length === 0 ? mismatch(conversation, spoken, wanted) : [];
  });
}

/** Characters of instructions that are searched for a language. */
const INSTRUCTIONS_READ = 8000;

/** Finds "Always answer in English" in the instructions. The language that they are written in does not matter. */
function standingRequest({ messages }: ConversationSnapshot): WantedLanguage | null {
  const system = messages.find(({ role }) => role === "system" || role === "developer");
  return system ? standingLanguage(proseOf(system).slice(0, INSTRUCTIONS_READ)) : null;
}

function mismatch(
  conversation: ConversationSnapshot,
  { index, message }: SpokenMessage,
  wanted: WantedLanguage,
): DetectedSignal[] {
  if (wanted.allowed.has("en") && isPlainlyEnglish(proseOf(message))) return [];
  const prose = wanted.asked ? withTextBlocks(message) : proseOf(message);
  const found = detectLanguage(prose) ?? (wanted.asked ? wrongScript(prose, wanted) : null);
  if (!found || wanted.allowed.has(found.language)) return [];
  if ([...wanted.allowed].some((language) => areNear(language, found.language))) return [];
  const score = Math.min(0.98, found.certainty + (wanted.asked ? ASKED_BONUS : 0));
  const language = [...wanted.allowed].sort().map(languageName).join(" or ");
  const answered = found.language === LATIN_LETTERS ? "Latin letters" : languageName(found.language);
  const start = prose.length - prose.trimStart().length;
  return [
    {
      name: "language_mismatch",
      score,
      verdict: score >= MATCH_SCORE ? "match" : "ambiguous",
      evidence: [quoteMessage(conversation.messages, index, start, start + 200)],
      cause: `answers in ${answered}`.toLowerCase(),
      title: `The assistant replies in ${answered} where another language is expected`,
      summary: `${wanted.asked ? `${language} was asked for` : `The user wrote in ${language}`}, and the answer begins “${excerpt(prose.slice(start), 120)}”.`,
    },
  ];
}

/** Returns prose and the contents of data blocks: "answer in Arabic, as JSON" applies to the text in the JSON. */
function withTextBlocks(message: Message): string {
  const text = textOf(message);
  const code = fencedCode(text).filter(([start]) => !TEXT_BLOCK.test(text.slice(start, start + 16)));
  return blank(text, code);
}
const TEXT_BLOCK = /^(?:```|~~~)(?:json|yaml|csv|tsv|text|txt|markdown|md|plaintext)?\s/i;

/** Detects text in Latin letters when only languages of other scripts are requested. */
function wrongScript(prose: string, wanted: WantedLanguage): DetectedLanguage | null {
  if ([...wanted.allowed].some(isLatin)) return null;
  const sample = prose.slice(0, SCRIPT_READ);
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  const latin = sample.match(/\p{Script=Latin}/gu)?.length ?? 0;
  if (latin < SCRIPT_LETTERS_MINIMUM || latin < letters * SCRIPT_SHARE) return null;
  return { language: LATIN_LETTERS, certainty: SCRIPT_SCORE - ASKED_BONUS, letters };
}
const LATIN_LETTERS = "Latn";
const SCRIPT_READ = 3000;

const areNear = (a: string, b: string) => NEAR.some((group) => group.has(a) && group.has(b));
