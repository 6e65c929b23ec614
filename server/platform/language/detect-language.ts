import { FUNCTION_WORDS } from "./words";

/** `certainty` is 0..1; `letters` is the number of letters examined. */
export type DetectedLanguage = { language: string; certainty: number; letters: number };

/** Characters examined, which suffice to recognise a language; mixed text counts as what most of it is in. */
const READ = 900;
/** Letters. Shorter texts are names, greetings or labels. */
const LATIN_LETTERS_MINIMUM = 50;
const OTHER_LETTERS_MINIMUM = 6;
/** Share of letters from which a script counts as the text's. Japanese and Arabic texts contain Latin names and code. */
const SCRIPT_SHARE = 0.5;
const WORDS_MINIMUM = 10;
/** Minimum share of function words: prose has .35 to .5, a list of names none. */
const FUNCTION_SHARE_MINIMUM = 0.14;
/** The best language must lead the next by this factor. */
const LEAD = 1.5;
/** Text with a lower share of kana is not Japanese. Prose has .4 and more. */
const KANA_MINIMUM = 0.1;

const SCRIPTS = [
  "latin",
  "cyrillic",
  "arabic",
  "devanagari",
  "han",
  "kana",
  "hangul",
  "greek",
  "hebrew",
  "thai",
  "bengali",
  "tamil",
  "telugu",
  "gujarati",
  "georgian",
  "armenian",
] as const;
type Script = (typeof SCRIPTS)[number];

/** Unicode blocks by first and last code unit. */
const BLOCKS: readonly (readonly [number, number, Script])[] = [
  [0x0041, 0x005a, "latin"],
  [0x0061, 0x007a, "latin"],
  [0x00c0, 0x024f, "latin"],
  [0x0370, 0x03ff, "greek"],
  [0x0400, 0x052f, "cyrillic"],
  [0x0531, 0x058a, "armenian"],
  [0x05d0, 0x05f4, "hebrew"],
  [0x0620, 0x06ff, "arabic"],
  [0x0750, 0x077f, "arabic"],
  [0x0904, 0x097f, "devanagari"],
  [0x0985, 0x09e3, "bengali"],
  [0x0a85, 0x0ae3, "gujarati"],
  [0x0b85, 0x0bd7, "tamil"],
  [0x0c05, 0x0c63, "telugu"],
  [0x0e01, 0x0e4e, "thai"],
  [0x10a0, 0x10ff, "georgian"],
  [0x1e00, 0x1eff, "latin"],
  [0x3041, 0x30ff, "kana"],
  [0x3400, 0x9fff, "han"],
  [0xac00, 0xd7a3, "hangul"],
];
/** Index in `SCRIPTS` of each code unit's script, or its length for none. A table is much faster than one pattern per script. */
const SCRIPT_OF_CODE = new Uint8Array(0x1_0000).fill(SCRIPTS.length);
for (const [first, last, script] of BLOCKS) SCRIPT_OF_CODE.fill(SCRIPTS.indexOf(script), first, last + 1);

/** The most likely language of scripts that are not examined further. */
const LANGUAGE_OF_SCRIPT: Partial<Record<Script, string>> = {
  devanagari: "hi",
  hangul: "ko",
  greek: "el",
  hebrew: "he",
  thai: "th",
  bengali: "bn",
  tamil: "ta",
  telugu: "te",
  gujarati: "gu",
  georgian: "ka",
  armenian: "hy",
};

/** Language-neutral text: links, addresses, markup, numbers and `identifiers`. */
const NEUTRAL =
  /https?:\/\/\S{1,500}|\b[\w.+-]{1,64}@[\w.-]{1,200}|<\/?[A-Za-z][^>\n]{0,100}>|\b[A-Za-z]{0,40}[_\d]\w{0,60}/g;
/** Every neutral match contains one of these. */
const NEUTRAL_SIGN = /[\d_<@]|:\/\//;

const PLAIN_READ = 400;
const PLAIN_WORDS = /\b(?:the|to|you|and|of|is|for|your|that|with|have|this)\b/g;
const PLAIN_MINIMUM = 6;

/** Returns whether text clearly begins in English: the common case, at a fraction of the cost of `detectLanguage`. */
export function isPlainlyEnglish(text: string): boolean {
  const head = text.slice(0, PLAIN_READ);
  PLAIN_WORDS.lastIndex = 0;
  for (let count = 0; count < PLAIN_MINIMUM; count++) if (!PLAIN_WORDS.test(head)) return false;
  return true;
}

/** Returns the language of text, or `null` when it is too short, mixed or unknown. Linear in at most `READ` characters. */
export function detectLanguage(text: string): DetectedLanguage | null {
  const read = text.slice(0, READ);
  const sample = NEUTRAL_SIGN.test(read) ? read.replace(NEUTRAL, " ") : read;
  const counts = countScripts(sample);
  const letters = counts.reduce((sum, count) => sum + count, 0);
  if (letters === 0) return null;
  const kana = counts[KANA]!;
  const eastAsian = counts[HAN]! + kana;
  const share = (count: number) => count / letters;

  if (share(eastAsian) >= SCRIPT_SHARE && eastAsian >= OTHER_LETTERS_MINIMUM) {
    const language = kana / eastAsian >= KANA_MINIMUM ? "ja" : "zh";
    return { language, certainty: share(eastAsian), letters };
  }
  const count = Math.max(...counts);
  const script = SCRIPTS[counts.indexOf(count)]!;
  if (share(count) < SCRIPT_SHARE) return null;
  if (script === "latin") return letters < LATIN_LETTERS_MINIMUM ? null : byWords(sample, letters);
  if (count < OTHER_LETTERS_MINIMUM) return null;
  const language =
    script === "cyrillic" ? cyrillic(sample) : script === "arabic" ? arabic(sample) : LANGUAGE_OF_SCRIPT[script];
  return language ? { language, certainty: share(count), letters } : null;
}

const [HAN, KANA] = [SCRIPTS.indexOf("han"), SCRIPTS.indexOf("kana")];

/** Counts letters per script, by index in `SCRIPTS`. */
function countScripts(text: string): number[] {
  const counts: number[] = new Array(SCRIPTS.length + 1).fill(0);
  for (let at = 0; at < text.length; at++) counts[SCRIPT_OF_CODE[text.charCodeAt(at)]!]!++;
  counts.length = SCRIPTS.length;
  return counts;
}

const LANGUAGES = Object.keys(FUNCTION_WORDS);
/** Indexes of the languages that use each function word. A word shared by several counts less for each. */
const LANGUAGES_OF_WORD = new Map<string, number[]>();
for (const [index, language] of LANGUAGES.entries()) {
  for (const word of new Set(FUNCTION_WORDS[language]!.split(" "))) {
    const known = LANGUAGES_OF_WORD.get(word);
    if (known) known.push(index);
    else LANGUAGES_OF_WORD.set(word, [index]);
  }
}

/** Letters that words in Latin script are made of, in lower case; a table, because a pattern allocates a match per word. */
const IS_LETTER = new Uint8Array(0x1_0000);
for (const [first, last] of [
  [0x27, 0x27],
  [0x61, 0x7a],
  [0xc0, 0x24f],
  [0x1e00, 0x1eff],
] as const) {
  IS_LETTER.fill(1, first, last + 1);
}
const LONGEST_WORD = Math.max(...[...LANGUAGES_OF_WORD.keys()].map((word) => word.length));

function byWords(sample: string, letters: number): DetectedLanguage | null {
  const text = sample.toLowerCase().normalize("NFC").replaceAll("’", "'");
  const weights: number[] = new Array(LANGUAGES.length).fill(0);
  const hits: number[] = new Array(LANGUAGES.length).fill(0);
  let words = 0;
  for (let at = 0; at < text.length; at++) {
    if (IS_LETTER[text.charCodeAt(at)] === 0) continue;
    const start = at;
    while (at < text.length && IS_LETTER[text.charCodeAt(at)] === 1) at++;
    words++;
    if (at - start > LONGEST_WORD) continue;
    const languages = LANGUAGES_OF_WORD.get(text.slice(start, at));
    if (!languages) continue;
    for (const index of languages) {
      hits[index]!++;
      weights[index]! += 1 / languages.length;
    }
  }
  if (words < WORDS_MINIMUM) return null;
  const most = Math.max(...weights);
  const best = weights.indexOf(most);
  weights[best] = 0;
  const next = Math.max(...weights);
  const share = hits[best]! / words;
  if (share < FUNCTION_SHARE_MINIMUM || most < next * LEAD) return null;
  return { language: LANGUAGES[best]!, certainty: Math.min(1, 0.4 + share), letters };
}

function cyrillic(text: string): string {
  const count = (letters: RegExp) => text.match(letters)?.length ?? 0;
  if (count(/[јљњћђџ]/gi) > 2) return "sr";
  const [russian, ukrainian] = [count(/[ыэё]/gi), count(/[іїєґ]/gi)];
  if (ukrainian > russian) return "uk";
  return russian === 0 && count(/ъ/gi) > 2 ? "bg" : "ru";
}

/** Minimum share of letters specific to Persian or Urdu. */
const PERSIAN_MINIMUM = 0.01;

function arabic(text: string): string {
  const share = (letters: RegExp) => (text.match(letters)?.length ?? 0) / text.length;
  if (share(/[ٹڈڑےں]/g) > PERSIAN_MINIMUM) return "ur";
  return share(/[پچگژ]/g) > PERSIAN_MINIMUM ? "fa" : "ar";
}
