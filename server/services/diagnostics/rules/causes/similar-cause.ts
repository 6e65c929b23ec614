import { createHash } from "node:crypto";
import { isFailedStep } from "./cause-scope";
import { missingThing } from "./missing-thing";
import { plainMessage } from "./same-meaning";

/**
 * Jaccard similarity of words (without masks) from which two causes are the same problem. At .7 "recipient <name> not found in
 * the users list" is joined across names, while "reservation not found" (.5) stays separate from "flight not found".
 */
const SIMILARITY = 0.7;
const MASK = /<(?:url|email|id|date|time|path|value|n)>/g;

/**
 * A cause, "subject: template", read for comparison. The subject (a tool, a model) must be equal, except where tools miss the
 * same thing.
 */
export type CauseWords = { subject: string; words: ReadonlySet<string>; missing: string | null };

/** Returns a cause's subject and the distinct words of its template, without masks. */
export function causeWords(cause: string, scope: readonly string[]): CauseWords {
  const colon = cause.indexOf(": ");
  const subject = colon < 0 ? "" : cause.slice(0, colon);
  const said = cause.slice(colon + 2);
  const template = colon < 0 ? cause : plainMessage(said);
  return {
    subject,
    words: new Set(template.replace(MASK, " ").match(/[\p{L}\p{M}\p{N}]+/gu) ?? []),
    missing: colon < 0 || !isFailedStep(scope) ? null : missingThing(said),
  };
}

/** Returns how similar two causes are, 0..1, or 0 below the threshold from which they are one problem. Symmetric. */
export function causeSimilarity(left: CauseWords, right: CauseWords): number {
  if (left.missing !== null && left.missing === right.missing) return 1;
  if (left.subject !== right.subject) return 0;
  // Nothing but masked values: the subject is all that is known of either.
  if (left.words.size === 0 || right.words.size === 0) return left.words.size === right.words.size ? 1 : 0;
  let common = 0;
  for (const word of left.words) if (right.words.has(word)) common++;
  const similarity = common / (left.words.size + right.words.size - common);
  return similarity >= SIMILARITY ? similarity : 0;
}

/** Characters of a key: 96 bits, so that different words practically never share one. */
const KEY_LENGTH = 16;

/**
 * Returns the keys by which an index finds every similar cause: any two causes of one scope that are similar share at least
 * one (prefix filtering: of n words in a fixed order, sets that are similar share one of the first n - ⌈.7 n⌉ + 1). Long
 * words come first because they are rare, which keeps the number of candidates small.
 */
export function causeKeys(projectId: string, scope: readonly string[], cause: CauseWords): string[] {
  const words = [...cause.words].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  const length = words.length - Math.ceil(SIMILARITY * words.length - 1e-9) + 1;
  const shared = words.length === 0 ? [""] : words.slice(0, length);
  const keys = shared.map((word) => keyOf([projectId, ...scope, cause.subject, word]));
  return cause.missing === null ? keys : [...keys, keyOf([projectId, ...scope, { missing: cause.missing }])];
}

/** What a cause's row stands for beside its words: the first one of a Finding, or one of the causes beyond the limit. */
type Standing = "first of a Finding" | "beyond the limit";

/** Returns the key that all causes of one standing share, in a scope and with one subject or, for `null`, any. */
export const standingKey = (projectId: string, scope: readonly string[], subject: string | null, standing: Standing) =>
  keyOf([projectId, ...scope, { subject, standing }]);

const keyOf = (parts: readonly unknown[]) =>
  createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, KEY_LENGTH);
