import type { ConversationSnapshot, DetectedSignal, Detector } from "../types";
import { type SpokenMessage, spokenMessages } from "./assistant-messages";
import { mergeByCause, quoteMessage } from "./evidence";
import { detectLanguage } from "./language/detect-language";
import { languageName } from "./language/names";
import { type WantedLanguage, wantedLanguage } from "./language/wanted-language";
import { proseIn, proseOf } from "./prose";
import { excerpt } from "./text";

const MATCH_SCORE = 0.7;
/** Languages so near that a short text cannot tell one from the other. */
const NEAR: readonly ReadonlySet<string>[] = [
  new Set(["da", "no", "sv"]),
  new Set(["id", "ms"]),
  new Set(["es", "ca", "gl", "pt"]),
  new Set(["ru", "uk", "bg", "sr"]),
  new Set(["ar", "fa", "ur"]),
  new Set(["cs", "sk"]),
];
/** Scripts of these are their own: being wrong is plain. Languages told by their words carry less weight. */
const ASKED_BONUS = 0.1;

export const languageMismatch: Detector = {
  signal: "language_mismatch",
  severity: "medium",
  enabledByDefault: true,
  looksFor: "An answer in another language than the user asked for by name, or, where nobody asked, wrote in.",
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
      const wanted = wantedBy.get(question) ?? wantedLanguage(proseIn(question));
      wantedBy.set(question, wanted);
      if (wanted?.asked) asked = wanted; // stands until another language is asked for
    }
    const wanted = asked ?? wantedBy.get(question) ?? null;
    return wanted && spoken.message.toolCalls.length === 0 ? mismatch(conversation, spoken, wanted) : [];
  });
}

/** Characters of instructions in which the language of answers is set. */
const INSTRUCTIONS_READ = 8000;

/** "Always answer in English" in the instructions. Their own language asks for nothing. */
function standingRequest({ messages }: ConversationSnapshot): WantedLanguage | null {
  const system = messages.find(({ role }) => role === "system" || role === "developer");
  const wanted = system ? wantedLanguage(proseOf(system).slice(0, INSTRUCTIONS_READ)) : null;
  return wanted?.asked ? wanted : null;
}

function mismatch(conversation: ConversationSnapshot, { index, message }: SpokenMessage, wanted: WantedLanguage): DetectedSignal[] {
  const prose = proseOf(message);
  const found = detectLanguage(prose);
  if (!found || wanted.allowed.has(found.language)) return [];
  if ([...wanted.allowed].some((language) => areNear(language, found.language))) return [];
  const score = Math.min(0.98, found.certainty + (wanted.asked ? ASKED_BONUS : 0));
  const language = [...wanted.allowed].sort().map(languageName).join(" or ");
  const answered = languageName(found.language);
  const start = prose.length - prose.trimStart().length;
  return [
    {
      name: "language_mismatch",
      score,
      verdict: score >= MATCH_SCORE ? "match" : "ambiguous",
      evidence: [quoteMessage(conversation.messages, index, start, start + 200)],
      cause: `${wanted.asked ? "asked for" : "spoke"} ${language}, answered in ${answered}`.toLowerCase(),
      title: `Answers come in ${answered} where ${language} was ${wanted.asked ? "asked for" : "spoken"}`,
      summary: `The answer begins “${excerpt(prose.slice(start), 120)}”.`,
    },
  ];
}

const areNear = (a: string, b: string) => NEAR.some((group) => group.has(a) && group.has(b));
