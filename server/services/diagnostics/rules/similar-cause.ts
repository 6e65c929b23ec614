/**
 * Jaccard similarity of words (without masks) from which two causes are merged. At .7 "recipient <name> not found in the
 * users list" is merged across names, while "reservation not found" (.5) stays separate from "flight not found".
 */
const SIMILARITY = 0.7;
const MASK = /<(?:url|email|id|date|time|path|value|n)>/g;

/** Returns whether two normalised causes of one Rule and Signal are the same problem. Symmetric and context-free. */
export function sameCause(a: string, b: string): boolean {
  return a === b || similarity(a, b) >= SIMILARITY;
}

/** Returns the most similar of `known` that is the same problem as `cause`; ties are broken alphabetically, not by order. */
export function closestCause(cause: string, known: readonly string[]): string | null {
  let best: { cause: string; similarity: number } | null = null;
  for (const other of known) {
    if (other === cause) return other;
    const alike = similarity(cause, other);
    if (alike < SIMILARITY) continue;
    if (!best || alike > best.similarity || (alike === best.similarity && other < best.cause)) {
      best = { cause: other, similarity: alike };
    }
  }
  return best?.cause ?? null;
}

function similarity(a: string, b: string): number {
  const [left, right] = [parts(a), parts(b)];
  if (left.subject !== right.subject) return 0;
  if (left.words.size === 0 || right.words.size === 0) return 0;
  let common = 0;
  for (const word of left.words) if (right.words.has(word)) common++;
  return common / (left.words.size + right.words.size - common);
}

/** Splits a cause, "subject: template". The subject (a tool, a model) must be equal. */
function parts(cause: string): { subject: string; words: Set<string> } {
  const colon = cause.indexOf(": ");
  const subject = colon < 0 ? "" : cause.slice(0, colon);
  const template = (colon < 0 ? cause : cause.slice(colon + 2)).replace(MASK, " ");
  return { subject, words: new Set(template.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []) };
}
