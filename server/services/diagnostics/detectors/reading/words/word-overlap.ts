import { type WordList, wordAt } from "./phrase-sets";

/** Words read from a turn. */
const WORDS_READ = 80;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** Returns the distinct words of two or more letters in a text, or pairs of letters in scripts without spaces. Memoized. */
export function wordsIn(list: WordList): ReadonlySet<string> {
  list.distinct ??= readWords(list);
  return list.distinct;
}

function readWords(list: WordList): Set<string> {
  const words = new Set<string>();
  for (let nth = 0; nth < list.starts.length && words.size < WORDS_READ; nth++) {
    const word = wordAt(list, nth);
    if (list.isUnspaced && UNSPACED.test(word)) {
      for (let at = 0; at + 1 < word.length && words.size < WORDS_READ; at++) words.add(word.slice(at, at + 2));
    } else if (word.length > 1) words.add(word);
  }
  return words;
}

/** Returns the share of the smaller set's words that the other has too; 0 when either is empty. */
export function wordOverlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [few, many] = a.size < b.size ? [a, b] : [b, a];
  if (few.size === 0) return 0;
  let common = 0;
  for (const word of few) if (many.has(word)) common++;
  return common / few.size;
}
