/** A phrase found in a text, with the set that it belongs to. `word` is the index of its first word. */
export type FoundPhrase<Name extends string> = { set: Name; start: number; end: number; word: number };

export type PhraseSets<Name extends string> = {
  /** Returns the longest phrase of each set at each word. Linear in the text, whatever the number of phrases. */
  find(text: string | WordList): FoundPhrase<Name>[];
};

/** Text with its words, for several sets to search. `starts` and `ends` are offsets in the text. */
export type WordList = {
  text: string;
  starts: readonly number[];
  ends: readonly number[];
  /** The text in lower case. If it has the same offsets, words are sliced from it when they are first needed. */
  folded: string;
  /** The words in lower case without apostrophes; `undefined` until first needed. */
  keys: (string | undefined)[];
  /** Set by the first comparison with another text. */
  distinct?: ReadonlySet<string>;
  /** Whether some of it is written without spaces. */
  isUnspaced: boolean;
};

type Node<Name> = { next: Map<string, Node<Name>>; ends: Name[] };

/** Scripts written without spaces, in which a phrase may begin and end within a run of letters. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
/** Cheaper than a script property, and false for most texts. */
const BEYOND_LATIN = /[\u0e00-\uffff]/;
const WORD = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*/gu;
/** Characters outside the Basic Multilingual Plane, which a table of code units cannot classify. */
const SURROGATE = /[\ud800-\udfff]/;
const APOSTROPHES = /['’]/g;

const OTHER = 0;
const LETTER = 1;
const DIGIT = 2;
const APOSTROPHE = 3;
/** Kind by code unit: a table is several times faster than a pattern that allocates a match for each word. */
const KINDS = Uint8Array.from({ length: 0x1_0000 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (character === "'" || character === "’") return APOSTROPHE;
  if (/[\p{L}\p{M}]/u.test(character)) return LETTER;
  return /\p{N}/u.test(character) ? DIGIT : OTHER;
});

/**
 * Compiles sets of phrases. A phrase is a sequence of words, in which `(a|b c|)` are alternatives and an empty one makes the
 * group optional. Case and apostrophes are ignored. Phrases of scripts without spaces are found anywhere.
 */
export function phraseSets<Name extends string>(sets: Readonly<Record<Name, readonly string[]>>): PhraseSets<Name> {
  const root: Node<Name> = { next: new Map(), ends: [] };
  const openings = new Uint8Array(OPENING_PLACES);
  const unspaced: { set: Name; text: string }[] = [];
  for (const [set, list] of Object.entries(sets) as [Name, readonly string[]][]) {
    for (const phrase of list.flatMap(alternativesOf)) {
      if (UNSPACED.test(phrase)) unspaced.push({ set, text: phrase });
      else add(root, phrase.split(" ").filter(Boolean), set);
    }
  }
  for (const word of root.next.keys()) openings[openingPlace(word)] = 1;
  return {
    find(given) {
      const list = typeof given === "string" ? wordList(given) : given;
      const found = findSpaced(root, openings, list);
      return list.isUnspaced ? [...found, ...findUnspaced(unspaced, list.text)] : found;
    },
  };
}

/** Returns a word in lower case, without apostrophes. */
export const wordAt = ({ keys, folded, starts, ends }: WordList, at: number): string =>
  (keys[at] ??= folded.slice(starts[at], ends[at]));

/** Splits text into words: runs of letters and digits. */
export function wordList(text: string): WordList {
  const folded = text.toLowerCase();
  const isUnspaced = BEYOND_LATIN.test(text) && UNSPACED.test(text);
  const list: GrowingList = { text, folded, keys: [], starts: [], ends: [], isUnspaced };
  if (folded.length !== text.length || SURROGATE.test(text)) addMatches(text, list);
  else addWords(text, list);
  return list;
}

type GrowingList = WordList & { starts: number[]; ends: number[] };

function addMatches(text: string, { keys, starts, ends }: GrowingList): void {
  WORD.lastIndex = 0;
  for (let found = WORD.exec(text); found; found = WORD.exec(text)) {
    keys.push(keyOf(found[0]));
    starts.push(found.index);
    ends.push(found.index + found[0].length);
  }
}

/** Adds the words that `WORD` matches: letters follow an apostrophe within a word, and digits don't. */
function addWords(text: string, { folded, keys, starts, ends }: GrowingList): void {
  let at = 0;
  while (at < text.length) {
    let kind = KINDS[text.charCodeAt(at)]!;
    if (kind !== LETTER && kind !== DIGIT) {
      at++;
      continue;
    }
    const start = at;
    let isPlain = true;
    do kind = kindAt(text, ++at);
    while (kind === LETTER || kind === DIGIT);
    while (kind === APOSTROPHE && kindAt(text, at + 1) === LETTER) {
      isPlain = false;
      at++;
      do kind = kindAt(text, ++at);
      while (kind === LETTER);
    }
    keys.push(isPlain ? undefined : withoutApostrophes(folded.slice(start, at)));
    starts.push(start);
    ends.push(at);
  }
}

const kindAt = (text: string, at: number) => (at < text.length ? KINDS[text.charCodeAt(at)]! : OTHER);

const keyOf = (word: string) => withoutApostrophes(word.toLowerCase());
const withoutApostrophes = (word: string) =>
  word.includes("'") || word.includes("’") ? word.replace(APOSTROPHES, "") : word;

function add<Name>(root: Node<Name>, words: readonly string[], set: Name) {
  let node = root;
  for (const word of words) {
    const key = keyOf(word);
    let next = node.next.get(key);
    if (!next) {
      next = { next: new Map(), ends: [] };
      node.next.set(key, next);
    }
    node = next;
  }
  if (node !== root && !node.ends.includes(set)) node.ends.push(set);
}

/** Expands the first group, and so on: "is (not|) right" is "is not right" and "is right". */
function alternativesOf(phrase: string): string[] {
  const open = phrase.indexOf("(");
  if (open < 0) return [phrase];
  const close = phrase.indexOf(")", open);
  if (phrase.slice(open + 1, close).includes("(")) throw new Error(`Groups cannot be nested: ${phrase}`);
  const [before, after] = [phrase.slice(0, open), phrase.slice(close + 1)];
  return phrase
    .slice(open + 1, close)
    .split("|")
    .flatMap((one) => alternativesOf(`${before}${one}${after}`));
}

/** Slots of a filter over words that open a phrase. It saves most words a lookup, which would hash them. */
const OPENING_PLACES = 4096;
const openingPlace = (word: string) => placeOf(word, 0, word.length);
const placeOf = (text: string, start: number, length: number) =>
  (text.charCodeAt(start) * 31 + (length > 1 ? text.charCodeAt(start + 1) * 7 : 0) + length * 257) % OPENING_PLACES;

function findSpaced<Name extends string>(root: Node<Name>, openings: Uint8Array, list: WordList): FoundPhrase<Name>[] {
  const { keys, folded, starts, ends } = list;
  const found: FoundPhrase<Name>[] = [];
  for (let first = 0; first < starts.length; first++) {
    const known = keys[first];
    const start = starts[first]!;
    const place = known === undefined ? placeOf(folded, start, ends[first]! - start) : openingPlace(known);
    if (openings[place] === 0) continue;
    let node = root.next.get(wordAt(list, first));
    const from = found.length;
    for (let last = first; node; last++) {
      for (const set of node.ends) {
        const phrase = { set, start: starts[first]!, end: ends[last]!, word: first };
        const shorter = found.findIndex((one, at) => at >= from && one.set === set);
        if (shorter < 0) found.push(phrase);
        else found[shorter] = phrase;
      }
      node = last + 1 < starts.length ? node.next.get(wordAt(list, last + 1)) : undefined;
    }
  }
  return found;
}

function findUnspaced<Name extends string>(
  phrases: readonly { set: Name; text: string }[],
  text: string,
): FoundPhrase<Name>[] {
  return phrases.flatMap(({ set, text: phrase }) => {
    const start = text.indexOf(phrase);
    return start < 0 ? [] : [{ set, start, end: start + phrase.length, word: start === 0 ? 0 : 1 }];
  });
}
