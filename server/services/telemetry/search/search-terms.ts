/** Distinct words indexed per conversation; more would make the index larger than the conversations. */
const MAX_WORDS = 2000;
/** Longer runs are ids, hashes and base64: only this prefix is indexed and searched. */
const WORD_CHARACTERS = 40;

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Scripts without spaces between words: every pair of adjacent characters is indexed as a word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Adds the words of a text, lower-cased, up to the limit. */
function addWords(words: Set<string>, text: string) {
  for (const [run] of text.normalize("NFKC").toLowerCase().matchAll(WORD)) {
    if (words.size >= MAX_WORDS) return;
    if (UNSPACED.test(run)) addPairs(words, run);
    else words.add(run.slice(0, WORD_CHARACTERS));
  }
}

function addPairs(words: Set<string>, run: string) {
  const characters = [...run];
  if (characters.length === 1) words.add(run);
  for (let i = 0; i + 1 < characters.length && words.size < MAX_WORDS; i++) {
    words.add(`${characters[i]}${characters[i + 1]}`);
  }
}

type Searched = {
  texts?: readonly string[];
  models?: readonly string[];
  labels?: readonly string[];
  userId?: string | null | undefined;
};

/** Returns the search terms of a conversation. Words never contain a colon, so none can be mistaken for a model, label or user. */
export function termsOf({ texts = [], models = [], labels = [], userId }: Searched): string[] {
  const words = new Set<string>();
  for (const text of texts) addWords(words, text);
  return [
    ...words,
    ...models.map((model) => `model:${model}`),
    ...labelTerms(labels),
    ...(userId == null ? [] : [`user:${userId}`]),
  ];
}

/** Returns the search terms of these labels. */
export const labelTerms = (labels: readonly string[]): string[] => labels.map((label) => `label:${label}`);
