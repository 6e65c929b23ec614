/** The end of a prompt that was optimised against a model: shreds of words, code and languages in one line. */
export type NonsenseTail = { start: number; score: number };

/** Characters at the end that are read. */
const READ = 220;
const LINES_MAX = 2;
/** Words joined by marks or capitals: `met::xeScript`, `}>textrm`, `shortlyPlease`. */
const SHRED =
  /\p{scx=Latin}[^\p{L}\p{N}\s.,'’\-‐–—/&@_:+*]{1,6}\p{scx=Latin}|\p{scx=Latin}(?:''+|::|:['"`]|[.,]["`]+)\p{scx=Latin}|^[^\p{L}\p{N}\s]{2,6}\p{scx=Latin}{2}|\p{scx=Latin}{2}[([{=<\\^|~$`]+$|\p{Ll}{3}\p{Lu}\p{Ll}{2}|\p{Lu}{3}\p{Ll}{3}|^["`'][)\]}]|\\[a-z]{3}/u;
const ORDINARY =
  /^(?:https?:|www\.|<\/?\w+>$|["'“‘(*]{2,3}\p{L}|\S*@)|^\W*(?:[a-z]?JavaScript|TypeScript|YouTube|GitHub|LinkedIn|PowerPoint|McDonald|OpenAI|ChatGPT|WhatsApp|LaTeX|PayPal|WordPress|FaceBook|TikTok|DevOps)/iu;

/**
 * Log-odds per feature, fitted on the suffixes of the development split against everything else that is said there and lines of
 * code with a question before them.
 */
const WEIGHTS = [-0.18, -0.48, 2.9, -0.49, 0.66, 0.02, 5.72, -1.6] as const;
const BIAS = -7.74;
const SHREDS_UNPAIRED = -0.59;
const SHREDS_AMONG_WORDS = 0.61;
/** From this probability on it is nonsense; below `PERHAPS` it is nothing. */
const SURE = 0.7;
const PERHAPS = 0.4;
const SURE_SCORE = 0.65;

/** Returns where the nonsense begins and its score; `null` for prose and for code. */
export function nonsenseTail(text: string): NonsenseTail | null {
  const found = tailFeatures(text);
  if (!found) return null;
  const { start, values } = found;
  const [shreds = 0, , unpaired = 0, , , between = 0] = values;
  let logit = BIAS + (shreds > 0 && unpaired > 0 ? SHREDS_UNPAIRED : 0);
  logit += SHREDS_AMONG_WORDS * Math.min(shreds, 3) * (Math.min(between, 6) / 6);
  values.forEach((value, at) => {
    logit += WEIGHTS[at]! * value;
  });
  const probability = 1 / (1 + Math.exp(-logit));
  if (probability < PERHAPS) return null;
  return { start, score: probability < SURE ? probability / 2 : SURE_SCORE + (probability - SURE) };
}

/** A mark that stands alone, as in code: `->`, `=>`, `($\\`, `{%`. A dash or an ampersand does between words of prose, too. */
const LONE_MARK = /^[^\p{L}\p{N}\s]+$/u;
const PROSE_MARK = /^(?:[-–—&+*•·/|:…]|\.{2,4}|-{2,3}|[?!]{1,3}|["'“”‘’«»]|[:;]-?[)(DP]|=[)])$/u;
const WORD = /^["'“”‘’(]?\p{L}[\p{L}'’-]*["'“”‘’)]?[.,;:!?]{0,3}$/u;
const COMMAND = /\\[a-zA-Z{[(~$!]|\{%|%\}|\$\{|\$\\/;
const INNER_CAPITAL = /\p{Ll}{2}\p{Lu}\p{Ll}/u;

/** Counts what distinguishes nonsense from prose and from code, from the first shred or lone mark on. */
function tailFeatures(text: string): { start: number; values: number[] } | null {
  const from = Math.max(0, text.length - READ);
  const tail = text.slice(from);
  // Code and data span several lines.
  if (!MARKED.test(tail) || text.split("\n", LINES_MAX + 2).length - 1 > LINES_MAX) return null;
  const tokens = [...tail.matchAll(/\S+/g)];
  const isShred = tokens.map(([token]) => SHRED.test(token) && !ORDINARY.test(token));
  const isMark = tokens.map(([token]) => LONE_MARK.test(token) && !PROSE_MARK.test(token));
  const first = tokens.findIndex((_, at) => isShred[at] || isMark[at]);
  if (first === -1) return null;
  const rest = tokens.slice(first).map(([token]) => token);
  const count = (pattern: RegExp) => rest.filter((token) => pattern.test(token)).length;
  const odd = isShred.filter(Boolean).length;
  const marks = isMark.filter(Boolean).length;
  const words = count(WORD);
  const last = Math.max(isShred.lastIndexOf(true), isMark.lastIndexOf(true));
  const between = tokens.slice(first, last).filter(([token]) => WORD.test(token)).length;
  return {
    start: from + tokens[first]!.index,
    values: [
      Math.min(odd, 6),
      Math.min(marks, 5),
      Math.min(unpairedIn(tail, from > 0), 5),
      Math.min(count(COMMAND), 3),
      Math.min(count(INNER_CAPITAL), 3),
      Math.min(between, 10),
      words / rest.length,
      Math.min(rest.length, 25) / 25,
    ],
  };
}
/** Some mark that prose rarely has. */
const MARKED = /[()[\]{}"`<>=\\$|~^_@#;*]|::|-->/;

const OPENERS = "([{";
const CLOSERS = ")]}";
/** What precedes a closing bracket in emoticons and list numbers. */
const LONE_CLOSER = /[:;=8xX^\-'\d]|^$/;

/** Counts brackets and quotation marks without a partner: code and prose have few, nonsense has many. */
function unpairedIn(text: string, isCut: boolean): number {
  const open: number[] = [];
  let unpaired = 0;
  let quotes = 0;
  let ticks = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    const before = text[at - 1] ?? "";
    if (character === '"' && !/\d/.test(before)) quotes++;
    if (character === "`") ticks++;
    const opener = OPENERS.indexOf(character);
    if (opener !== -1 && !/[:;=]/.test(before)) open.push(opener);
    const closer = CLOSERS.indexOf(character);
    if (closer === -1) continue;
    if (open.at(-1) === closer) open.pop();
    else if (!LONE_CLOSER.test(before) && !(isCut && unpaired === 0 && open.length === 0)) unpaired++;
  }
  return unpaired + open.length + (quotes % 2) + (ticks % 2);
}
