/** The end of a prompt that was optimised against a model: shreds of words, code and languages in one line. */
export type NonsenseTail = { start: number; score: number };

/** Characters at the end that are read. */
const READ = 220;
const LINES_MAX = 2;
const TOKENS_LEAST = 5;
/** Words joined by marks or capitals: `met::xeScript`, `}>textrm`, `shortlyPlease`. */
const SHRED =
  /\p{scx=Latin}[^\p{L}\p{N}\s.,'’\-‐–—/&@_:+*]{1,6}\p{scx=Latin}|\p{scx=Latin}(?:''+|::|:['"`]|[.,]["`]+)\p{scx=Latin}|^[^\p{L}\p{N}\s]{2,6}\p{scx=Latin}{2}|\p{scx=Latin}{2}[([{=<\\^|~$`]+$|\p{Ll}{3}\p{Lu}\p{Ll}{2}|\p{Lu}{3}\p{Ll}{3}|^["`'][)\]}]|\\[a-z]{3}/u;
const ORDINARY =
  /^(?:https?:|www\.|<\/?\w+>$|["'“‘(*]{2,3}\p{L}|\S*@)|^\W*(?:[a-z]?JavaScript|TypeScript|YouTube|GitHub|LinkedIn|PowerPoint|McDonald|OpenAI|ChatGPT|WhatsApp|LaTeX|PayPal|WordPress|FaceBook|TikTok|DevOps)/iu;

/** Returns where the nonsense begins and its score; `null` for prose and for code. */
export function nonsenseTail(text: string): NonsenseTail | null {
  const from = Math.max(0, text.length - READ);
  const tail = text.slice(from);
  if (!PAIRED.test(tail)) return null;
  // Code and data span several lines.
  if (text.split("\n", LINES_MAX + 2).length - 1 > LINES_MAX) return null;
  const tokens = [...tail.matchAll(/\S+/g)];
  const isShred = tokens.map(([token]) => SHRED.test(token) && !ORDINARY.test(token));
  const first = isShred.indexOf(true);
  if (first === -1) return null;
  const shreds = isShred.filter(Boolean).length;
  const unpaired = unpairedIn(tail, from > 0);
  if (tokens.length - first < TOKENS_LEAST && shreds < 3) return null;
  const score = Math.min(0.95, 0.2 * Math.min(3, unpaired) + 0.13 * Math.min(4, shreds) + 0.18);
  return unpaired + shreds >= 3 && unpaired > 0 ? { start: from + tokens[first]!.index, score } : null;
}

/** Characters that can be unpaired; most messages end without any. */
const PAIRED = /[()[\]{}"`]/;
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
