/** Distinct words that one conversation is found by; more would make the index larger than the conversations. */
const WORDS_KEPT = 2000;
/** Longer runs are ids, hashes and base64: found by their beginning's whole length or not at all. */
const WORD_CHARACTERS = 40;

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Scripts that do not put spaces between words: every pair of neighbouring characters stands for a word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Adds the words of a text, lower-cased, while they are not too many. */
function addWords(words: Set<string>, text: string) {
  for (const [run] of text.normalize("NFKC").toLowerCase().matchAll(WORD)) {
    if (words.size >= WORDS_KEPT) return;
    if (UNSPACED.test(run)) addPairs(words, run);
    else words.add(run.slice(0, WORD_CHARACTERS));
  }
}

function addPairs(words: Set<string>, run: string) {
  const characters = [...run];
  if (characters.length === 1) words.add(run);
  for (let i = 0; i + 1 < characters.length && words.size < WORDS_KEPT; i++) {
    words.add(`${characters[i]}${characters[i + 1]}`);
  }
}

type Searched = {
  texts?: readonly string[];
  models?: readonly string[];
  labels?: readonly string[];
  userId?: string | null | undefined;
};

/** What a conversation is found by. No word has a colon, so that none is taken for a model, a label or a user. */
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

/** What a conversation with these labels is found by. */
export const labelTerms = (labels: readonly string[]): string[] => labels.map((label) => `label:${label}`);
