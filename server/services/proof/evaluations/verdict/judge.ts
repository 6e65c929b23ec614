import { detectLanguage } from "@/server/platform/language/detect-language";
import type { ModelAnswer, RowRightness } from "../schemas";

/** Why one answer is better than the other, or why neither is. */
export const REASONS = [
  "matches_expected",
  "both_match",
  "empty",
  "cut_off",
  "not_json",
  "other_language",
  "closer",
  "equally_close",
] as const;
export type Reason = (typeof REASONS)[number];
export type Outcome = "win" | "tie" | "loss";

type Answer = Pick<ModelAnswer, "content" | "finishReason">;
export type Judgement = { outcome: Outcome; reason: Reason; scoreBefore: number; scoreAfter: number };

/** If the two scores differ by less than this, neither answer counts as better: one word in ten. */
const CLEAR_DIFFERENCE = 0.1;
/** Minimum certainty for a language to count as recognised. */
const LANGUAGE_CERTAINTY = 0.6;

/** Removes differences that readers do not see: Unicode forms, case, runs of white space. */
const normalised = (text: string) => text.normalize("NFKC").toLowerCase().replace(/\s+/gu, " ").trim();

/** A word, a number, or one character of a script without spaces. */
const TOKEN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}\p{N}_]+(?:[.,:/-][\p{N}]+)*/gu;
const tokensIn = (text: string): string[] => normalised(text).match(TOKEN) ?? [];

function counted(tokens: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}

/** Returns the F1 of the words of two texts, 0..1: 1 for the same words in any order, 0 without a common word. */
export function wordF1(expected: string, given: string): number {
  const [wanted, said] = [tokensIn(expected), tokensIn(given)];
  if (wanted.length === 0 || said.length === 0) return normalised(expected) === normalised(given) ? 1 : 0;
  const left = counted(wanted);
  let common = 0;
  for (const token of said) {
    const count = left.get(token) ?? 0;
    if (count === 0) continue;
    left.set(token, count - 1);
    common += 1;
  }
  return (2 * common) / (wanted.length + said.length);
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Returns the value of an answer that is a JSON object or array; `undefined` otherwise. */
function structureOf(text: string): unknown {
  const value = /^\s*[[{]/.test(text) ? parsed(text) : undefined;
  return typeof value === "object" && value !== null ? value : undefined;
}

/** Serializes JSON with sorted keys, so that order and white space make no difference. */
const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_, field) =>
    typeof field === "object" && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  );

/** Returns the language of a text, or `null` if that is not certain enough. */
export function languageOf(text: string): string | null {
  const found = detectLanguage(text);
  return found && found.certainty >= LANGUAGE_CERTAINTY ? found.language : null;
}

type Expected = { text: string; structure: unknown; language: string | null };

const matchesExpected = ({ text, structure }: Pick<Expected, "text" | "structure">, { content }: Answer) => {
  if (structure === undefined) return normalised(text) === normalised(content);
  const given = structureOf(content);
  return given !== undefined && sortedJson(structure) === sortedJson(given);
};

/** Returns whether an answer is the expected one: the same text, or the same JSON value. */
export const isSame = (expected: string, answer: Answer): boolean =>
  matchesExpected({ text: expected, structure: structureOf(expected) }, answer);

/** Faults, worst first: an answer with one loses to an answer without it, however similar they are otherwise. */
const FAULTS: readonly { reason: Reason; has: (answer: Answer, expected: Expected) => boolean }[] = [
  { reason: "empty", has: ({ content }) => content.trim() === "" },
  { reason: "cut_off", has: ({ finishReason }) => finishReason === "length" },
  {
    reason: "not_json",
    has: ({ content }, { structure }) => structure !== undefined && structureOf(content) === undefined,
  },
  {
    reason: "other_language",
    has: ({ content }, { language }) => {
      const given = language === null ? null : languageOf(content);
      return given !== null && given !== language;
    },
  },
];

/**
 * Compares two answers with the expected one and returns which is better and why: `win` means that the later model's answer is.
 * An exact match with the expected answer decides first, then faults, then word similarity. Pure.
 */
export function judge(expectedText: string, before: Answer, after: Answer): Judgement {
  const expected: Expected = {
    text: expectedText,
    structure: structureOf(expectedText),
    language: languageOf(expectedText),
  };
  const matches = [matchesExpected(expected, before), matchesExpected(expected, after)] as const;
  const scoreBefore = matches[0] ? 1 : wordF1(expectedText, before.content);
  const scoreAfter = matches[1] ? 1 : wordF1(expectedText, after.content);
  const judged = (outcome: Outcome, reason: Reason): Judgement => ({ outcome, reason, scoreBefore, scoreAfter });
  if (matches[0] && matches[1]) return judged("tie", "both_match");
  if (matches[0] || matches[1]) return judged(matches[1] ? "win" : "loss", "matches_expected");
  for (const { reason, has } of FAULTS) {
    const [hadIt, hasIt] = [has(before, expected), has(after, expected)];
    if (hadIt !== hasIt) return judged(hadIt ? "win" : "loss", reason);
  }
  const gain = scoreAfter - scoreBefore;
  if (Math.abs(gain) < CLEAR_DIFFERENCE) return judged("tie", "equally_close");
  return judged(gain > 0 ? "win" : "loss", "closer");
}

/**
 * Returns the outcome that counts: an answer that is closer to the expected one, or without a fault of the other, wins only if
 * it is not known to be wrong.
 */
export function countedOutcome(
  { outcome, reason }: Pick<Judgement, "outcome" | "reason">,
  { after }: RowRightness,
): { outcome: Outcome; reason: Reason | "not_right" } {
  return outcome === "win" && after?.right === false ? { outcome: "tie", reason: "not_right" } : { outcome, reason };
}
