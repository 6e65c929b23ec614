import { type PhraseSets, phraseSets, wordList, wordsIn } from "@/server/services/diagnostics/detectors/reading";
import type { Goal } from "../types";

/** How an exchange relates to a goal. `phrase` is spelled as in the goal. */
export type GoalMatch = { score: number; phrase: string; place: "question" | "answer" };

/** Begins a question or a request for information. */
const ASKS =
  /[?？]|\b(?:what|how|when|where|which|who|why|whether|can i|could i|may i|do i|do you|does|is there|are there|tell me|explain|describe|wondering|like to know|need to know|want to know|information|details|was|wie|wann|wo|welche\w?|warum|quel\w*|comment|quand|où|pourquoi|qué|cómo|cuándo|cuánto|dónde|cuál)\b|什么|怎么|多少|吗|何|どう|いつ|か。/iu;
/** Asks for something to be found or done, which the phrase only describes. */
const REQUESTS =
  /\b(?:find me|looking for|look for|search(?:ing)?|show me|any other|another|book|reserve|add|change|update|cancel|modify|upgrade|want to|would like to (?!know))\b/i;
/** How many of the goal's words an answer must contain if the user's question contains none of its phrases. */
const SHARED_LEAST = 3;
const SHARED_SHARE = 0.4;
const WORD_LETTERS = 4;

/** Returns how a question and its answer relate to a goal; `null` if they do not. */
export function matchGoal(goal: Goal, question: string, answer: string): GoalMatch | null {
  const sentences = question.split(SENTENCE_END).filter((sentence) => ASKS.test(sentence) && !REQUESTS.test(sentence));
  const asked = sentences.map((sentence) => phraseIn(sentence, goal)).find((phrase) => phrase !== undefined);
  const answered = phraseIn(answer, goal);
  const shared = sharedWords(goal, answer);
  if (asked) return { score: 1 + (answered ? 1 : 0) + shared.share, phrase: asked, place: "question" };
  if (answered && sentences.length > 0 && shared.count >= SHARED_LEAST && shared.share >= SHARED_SHARE)
    return { score: shared.share, phrase: answered, place: "answer" };
  return null;
}
const SENTENCE_END = /(?<=[.!?。！？\n])/u;

const phrasesOf = new WeakMap<Goal, PhraseSets<string>>();

/**
 * Returns the first of the goal's phrases (or its title, if it has none) that occurs in the text as whole words, ignoring case.
 */
function phraseIn(text: string, goal: Goal): string | undefined {
  const given = goal.keyPhrases.length > 0 ? goal.keyPhrases : [goal.title];
  let sets = phrasesOf.get(goal);
  if (!sets) {
    // Brackets and bars would be parsed as alternatives.
    sets = phraseSets(Object.fromEntries(given.map((phrase) => [phrase, [phrase.replaceAll(/[()|]/g, " ")]])));
    phrasesOf.set(goal, sets);
  }
  const found = new Set(sets.find(text).map(({ set }) => set));
  return given.find((phrase) => found.has(phrase));
}

/** Returns how many of the goal's words an answer contains. */
function sharedWords({ title, description }: Goal, answer: string): { count: number; share: number } {
  const known = [...wordsIn(wordList(`${title} ${description}`))].filter((word) => word.length >= WORD_LETTERS);
  const has = new Set(wordsIn(wordList(answer)));
  const count = known.filter((word) => has.has(word)).length;
  return { count, share: known.length === 0 ? 0 : count / known.length };
}
