import { excerpt } from "@/server/platform/excerpt";
import type { ConversationSnapshot, DetectedSignal, Detector } from "../../types";
import { type SpokenMessage, spokenMessages } from "../reading/assistant-messages";
import { mergeByCause, quoteMessage } from "../reading/evidence";
import { memoizeLast } from "../reading/memoize-last";
import { proseIn, proseOf } from "../reading/prose";
import { isRuler, type NumberedWords, numberedWords } from "../reading/words/numbered-words";

/** Consecutive repeats from which a phrase is degenerate; a chorus has fewer. */
const PHRASE_REPEATS = 5;
/** Characters that the repeats must cover: "no no no no no" is normal. */
const COVERED_MINIMUM = 60;
const PHRASE_MAXIMUM = 300;
const CHARACTER_RUN = 40;
/** Share of distinct trigrams below which a long text is repetitive. English prose has about .95. */
const DISTINCT_MINIMUM = 0.25;
const WORDS_MINIMUM = 80;
const MATCH_SCORE = 0.7;
/** Score when the user asked for repetition. */
const ASKED_SCORE = 0.3;
const ASKED =
  /\b(?:repeat|times|over and over|forever|chorus|lyrics|song|poem|pattern|ascii|loop|lines? of|as many|table|list \d|count (?:to|from)|chant|rhyme|copies)\b/i;
const QUESTION_READ = 4000;
/** Characters read from the end of a response: a model that repeats itself does not stop. */
const READ = 2500;

export const degenerateRepetition: Detector = {
  signal: "degenerate_repetition",
  severity: "high",
  enabledByDefault: true,
  looksFor: "An answer stuck repeating a character, word, phrase or line.",
  detect: (conversation) => {
    const isAsked = memoizeLast((question) => ASKED.test(question.slice(0, QUESTION_READ)));
    return mergeByCause(
      spokenMessages(conversation.messages).flatMap((spoken) => repetitionIn(conversation, spoken, isAsked)),
    );
  },
};

type Stretch = { kind: string; start: number; end: number; unit: string; score: number };

function repetitionIn(
  { messages }: ConversationSnapshot,
  spoken: SpokenMessage,
  isAsked: (question: string) => boolean,
): DetectedSignal[] {
  const { index, message, text, question } = spoken;
  if (text.length < COVERED_MINIMUM) return [];
  const from = Math.max(0, text.length - READ);
  const prose = from === 0 ? proseOf(message) : proseIn(text.slice(from));
  const found = characterRun(prose) ?? wordRun(prose);
  if (!found) return [];
  const asked = isAsked(question);
  return [
    {
      name: "degenerate_repetition",
      score: asked ? ASKED_SCORE : found.score,
      verdict: asked ? "ambiguous" : "match",
      evidence: [quoteMessage(messages, index, from + found.start, from + found.end)],
      cause: `stuck on ${found.kind}`,
      title: `An answer is stuck on ${found.kind} and repeats it`,
      summary: `“${excerpt(found.unit, 80)}” repeated over ${found.end - found.start} characters.`,
    },
  ];
}

/** Finds a run of one character by sampling every `CHARACTER_RUN` characters, which any long enough run covers. */
function characterRun(text: string): Stretch | null {
  for (let at = CHARACTER_RUN - 1; at < text.length; at += CHARACTER_RUN) {
    const code = text.charCodeAt(at);
    let start = at;
    while (start > 0 && text.charCodeAt(start - 1) === code) start--;
    let end = at + 1;
    while (end < text.length && text.charCodeAt(end) === code) end++;
    const unit = text[at]!;
    if (end - start >= CHARACTER_RUN && !isRuler(unit)) return { kind: "a character", start, end, unit, score: 0.95 };
    at = end - 1;
  }
  return null;
}

function wordRun(text: string): Stretch | null {
  const folded = text.toLowerCase();
  // Lower-casing changes the length of a few letters; the text is then read as it is to preserve offsets.
  const words = numberedWords(folded.length === text.length ? folded : text);
  return repeatedPhrase(text, words) ?? repetitiveText(text, words);
}

/**
 * Finds the longest stretch of words that repeats with a fixed period at least `PHRASE_REPEATS` times. Each word is only
 * compared at the period at which its predecessor matched, so this is linear in the number of words.
 */
function repeatedPhrase(text: string, { starts, ends, firsts }: NumberedWords): Stretch | null {
  const lastAt: number[] = new Array(firsts.length).fill(-1);
  let best: Stretch | null = null;
  let period = 0;
  let run = 0;
  for (let at = 0; at < firsts.length; at++) {
    const word = firsts[at]!;
    const earlier = lastAt[word]!;
    lastAt[word] = at;
    if (period > 0 && firsts[at - period] === word) run++;
    else {
      period = earlier < 0 ? 0 : at - earlier;
      run = period > 0 ? 1 : 0;
    }
    if (period === 0) continue;
    const repeats = run / period + 1;
    if (repeats < PHRASE_REPEATS) continue;
    const start = starts[at - run - period + 1]!;
    const end = ends[at]!;
    const unit = text.slice(start, ends[at - run]!);
    if (end - start < COVERED_MINIMUM || unit.length > PHRASE_MAXIMUM || isRuler(unit)) continue;
    if (best && end - start <= best.end - best.start) continue;
    const kind = period === 1 ? "a word" : "a phrase";
    best = { kind, start, end, unit, score: repeats >= PHRASE_REPEATS * 2 ? 0.95 : 0.85 };
  }
  return best;
}

/** Detects a long text with few distinct trigrams, which repeats without a fixed period. */
function repetitiveText(text: string, { starts, ends, firsts, distinct }: NumberedWords): Stretch | null {
  if (firsts.length < WORDS_MINIMUM) return null;
  const limit = (firsts.length - 2) * DISTINCT_MINIMUM;
  if (distinct - 2 >= limit) return null; // each distinct word ends a distinct trigram, except for the first two words
  const runs = new Set<string>();
  for (let at = 2; at < firsts.length; at++) runs.add(`${firsts[at - 2]} ${firsts[at - 1]} ${firsts[at]}`);
  if (runs.size >= limit) return null;
  const start = starts[0]!;
  return { kind: "the same words", start, end: ends.at(-1)!, unit: text.slice(start, start + 60), score: MATCH_SCORE };
}
