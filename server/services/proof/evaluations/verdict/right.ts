import type { SimilarityFloor } from "../schemas";
import { isCalls } from "./answer-text";
import { isSame, languageOf, wordF1 } from "./judge";

/** How it was decided whether an answer is right. */
export type RightBy = "match" | "similar" | "unlike" | "contradicts" | "another";
export type RightDecision = { right: boolean; by: RightBy };

/** With fewer different references of a language, how alike answers to other questions are is unknown. */
const REFERENCES_MIN = 20;
/** References that are compared with each other, which bounds the time. */
const REFERENCES_MAX = 300;
/** Of other questions' answers, this share is below the floor. */
const BELOW_FLOOR = 0.95;
/** No floor is lower: one common word in three is chance. */
const FLOOR_MIN = 0.3;
export const HISTOGRAM_BINS = 10;

export const histogramOf = (values: readonly number[]): number[] => {
  const bins = new Array<number>(HISTOGRAM_BINS).fill(0);
  for (const value of values) bins[Math.min(HISTOGRAM_BINS - 1, Math.floor(value * HISTOGRAM_BINS))]! += 1;
  return bins;
};

/**
 * Returns how similar an answer has to be to its reference, by language and, last, in any: more than 95 % of the references are
 * to the most similar reference of another question. With too few references there is no floor.
 */
export function floorsOf(references: readonly string[]): SimilarityFloor[] {
  const byLanguage = new Map<string, Set<string>>();
  const all = new Set(references);
  for (const reference of all) {
    const language = languageOf(reference);
    if (language !== null) byLanguage.set(language, (byLanguage.get(language) ?? new Set()).add(reference));
  }
  const sets = [...[...byLanguage].map(([language, own]) => ({ language, own })), { language: null, own: all }];
  return sets.flatMap(({ language, own }) => {
    if (own.size < REFERENCES_MIN) return [];
    const texts = [...own].slice(0, REFERENCES_MAX);
    const nearest = texts.map((one, at) =>
      texts.reduce((most, other, n) => (n === at ? most : Math.max(most, wordF1(one, other))), 0),
    );
    const sorted = nearest.toSorted((a, b) => a - b);
    const floor = Math.max(FLOOR_MIN, sorted[Math.ceil(BELOW_FLOOR * sorted.length) - 1]!);
    return [{ language, floor, n: texts.length, others: histogramOf(nearest) }];
  });
}

function floorFor(floors: readonly SimilarityFloor[], reference: string) {
  const language = languageOf(reference);
  return floors.find((one) => one.language === language) ?? floors.find((one) => one.language === null);
}

/** Numbers, dates, amounts, codes with digits, web and e-mail addresses. */
const FACT = /https?:\/\/[^\s)>\]]+|[\w.+-]+@[\w-]+\.[\w.-]+|[\p{L}\p{N}]*\p{N}[\p{L}\p{N}]*(?:[.,:/-]\p{N}+)*/gu;
const factsIn = (text: string) =>
  (text.normalize("NFKC").toLowerCase().match(FACT) ?? []).map((fact) => fact.replace(/[.,;:!?]+$/u, ""));

const NEGATIONS = new Set(
  `no not never none nothing cannot without neither nor nicht kein keine keinen keiner keinem nie niemals ohne nichts weder
   pas jamais aucun aucune sans rien ni nunca ningún ninguna sin nada tampoco non mai nessun nessuna senza niente niet geen
   nooit zonder não nunca nenhum nenhuma sem`.split(/\s+/u),
);
const isNegated = (text: string) =>
  (
    text
      .toLowerCase()
      .replaceAll("’", "'")
      .match(/[\p{L}']+/gu) ?? []
  ).some((word) => NEGATIONS.has(word) || word.endsWith("n't"));

/** Returns whether every fact of the reference occurs in the answer, and both deny something or neither does. */
export function contradictsNothing(reference: string, answer: string): boolean {
  const given = new Set(factsIn(answer));
  return factsIn(reference).every((fact) => given.has(fact)) && isNegated(reference) === isNegated(answer);
}

/** An answer that is so much more similar to the reference of another question answers that one. */
const CLEARLY_MORE = 0.3;

/**
 * Decides whether an answer is right, as far as a comparison with the reference can tell: it is the same, or it is more similar
 * than answers to other questions are and contradicts no fact. `null` where there is no floor to decide by, unless the answer is
 * one to another question, by its reference among `others`. No similarity sees every false fact, which is why a person may
 * overrule it.
 */
export function decideRight(
  reference: string | null,
  answer: { content: string; finishReason: "stop" | "length" },
  floors: readonly SimilarityFloor[],
  others: readonly string[] = [],
): RightDecision | null {
  if (reference === null) return null;
  if (isSame(reference, answer)) return { right: true, by: "match" };
  // A call with other arguments does something else, however alike both are.
  if (isCalls(reference)) return { right: false, by: "unlike" };
  const own = wordF1(reference, answer.content);
  if (others.some((other) => wordF1(other, answer.content) - own >= CLEARLY_MORE))
    return { right: false, by: "another" };
  const found = floorFor(floors, reference);
  if (found === undefined) return null;
  if (own <= found.floor) return { right: false, by: "unlike" };
  return contradictsNothing(reference, answer.content)
    ? { right: true, by: "similar" }
    : { right: false, by: "contradicts" };
}
