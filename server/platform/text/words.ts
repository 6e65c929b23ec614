/** Distinct words indexed per text; more would make the index larger than the texts. */
export const WORDS_MAX = 2000;
/** Longer runs are ids, hashes and base64: only this prefix is indexed and searched. */
const WORD_CHARACTERS = 40;

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Scripts without spaces between words: every pair of adjacent characters is indexed as a word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** The same runs as `WORD` in lower-cased text of ASCII characters, several times faster. */
const ASCII_WORD = /[a-z0-9]+/g;
const NOT_ASCII = /[^\0-\x7f]/;

/** Adds the words of a text, lower-cased, up to the limit. */
export function addWords(words: Set<string>, text: string) {
  if (words.size >= WORDS_MAX) return;
  if (!NOT_ASCII.test(text)) {
    addRuns(words, text.toLowerCase().match(ASCII_WORD));
    return;
  }
  const normal = text.normalize("NFKC").toLowerCase();
  addRuns(words, normal.match(WORD), UNSPACED.test(normal));
}

/** `hasUnspaced`: whether some of the runs may be of a script without spaces. */
function addRuns(words: Set<string>, runs: readonly string[] | null, hasUnspaced = false) {
  for (const run of runs ?? []) {
    if (words.size >= WORDS_MAX) return;
    if (hasUnspaced && UNSPACED.test(run)) addPairs(words, run);
    else words.add(run.slice(0, WORD_CHARACTERS));
  }
}

function addPairs(words: Set<string>, run: string) {
  const characters = [...run];
  if (characters.length === 1) words.add(run);
  for (let i = 0; i + 1 < characters.length && words.size < WORDS_MAX; i++) {
    words.add(`${characters[i]}${characters[i + 1]}`);
  }
}

/** Returns the distinct lower-cased words of texts, at most 2,000. None contains a colon. */
export function wordsOf(texts: readonly string[]): string[] {
  const words = new Set<string>();
  for (const text of texts) addWords(words, text);
  return [...words];
}
