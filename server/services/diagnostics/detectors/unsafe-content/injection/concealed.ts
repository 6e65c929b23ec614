/** Text that a model reads but a person doesn't see. `sure` when nobody conceals text this way for another reason. */
export type Concealed = { text: string; start: number; end: number; sure: boolean };

const TAG_FIRST = 0xe0020;
const TAG_LAST = 0xe007e;
/** The high surrogate of all tag characters. */
const TAG_SURROGATE = "\udb40";
const TAGS_LEAST = 12;

const ENCODED =
  /(?<![A-Za-z0-9+/])(?:[A-Za-z0-9+/]{4}){10,400}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?(?![A-Za-z0-9+/=_-])/g;
const HEXADECIMAL = /(?<![0-9a-zA-Z])(?:(?:\\x|0x|%)?[0-9a-f]{2}[ ,]?){24,800}(?![0-9a-zA-Z])/gi;
const COMMENT = "<!--";
const ENCODED_MAX = 20;

/** Parts of markup that conceals text. */
export const CONCEALING_HINTS = [
  "<!--",
  "isplay none",
  "isplay  none",
  "ont size",
  "isibility",
  "pacity ",
  "color ",
  "color  ",
];

/** Returns text from Unicode tags, base64, hexadecimal, HTML comments and invisible elements, decoded. */
export function concealedText(text: string, hasMarkup: boolean): Concealed[] {
  const found: Concealed[] = [];
  if (text.includes(TAG_SURROGATE)) inTags(text, found);
  if (hasMarkup) {
    between(text, COMMENT, "-->", found);
    inInvisible(text, found);
  }
  if (INVISIBLES.some((character) => text.includes(character))) inSplitWords(text, found);
  if (hasRun(text, ENCODED_LEAST)) encoded(text, found);
  return found;
}

function inTags(text: string, found: Concealed[]): void {
  let said = "";
  let start = -1;
  let end = -1;
  for (let at = text.indexOf(TAG_SURROGATE); at !== -1; at = text.indexOf(TAG_SURROGATE, at + 1)) {
    const code = text.codePointAt(at)!;
    if (code < TAG_FIRST || code > TAG_LAST) continue;
    if (start === -1) start = at;
    end = at + 2;
    said += String.fromCharCode(code - TAG_FIRST + 0x20);
  }
  // Flag emoji of regions use up to six.
  if (said.length >= TAGS_LEAST) found.push({ text: said, start, end, sure: true });
}

/** Invisible characters between Latin letters; other scripts need some of them. */
const SPLIT_WORD = /[a-z][\u200b-\u200d\u2060\u00ad\ufeff]{1,4}[a-z][\u200b-\u200d\u2060\u00ad\ufeff]{1,4}[a-z]/i;
const INVISIBLES = ["\u200b", "\u200c", "\u200d", "\u2060", "\u00ad", "\ufeff"];
const INVISIBLE = /[\u200b-\u200d\u2060\u00ad\ufeff]/g;

function inSplitWords(text: string, found: Concealed[]): void {
  const start = text.search(SPLIT_WORD);
  if (start === -1) return;
  const part = text.slice(start, start + CONCEALED_MAX);
  found.push({ text: part.replaceAll(INVISIBLE, ""), start, end: start + part.length, sure: false });
}

const CONCEALED_MAX = 4000;

function between(text: string, open: string, close: string, found: Concealed[]): void {
  let start = text.indexOf(open);
  for (let count = 0; start !== -1 && count < ENCODED_MAX; count++) {
    const stop = text.indexOf(close, start + open.length);
    if (stop === -1) return;
    const said = text.slice(start + open.length, Math.min(stop, start + CONCEALED_MAX)).trim();
    if (said.length >= TAGS_LEAST) found.push({ text: said, start, end: stop + close.length, sure: false });
    start = text.indexOf(open, stop);
  }
}

const INVISIBLE_ELEMENT =
  /<(?:div|span|p|font|td|section)\b[^<>]{0,200}(?:display: ?none|visibility: ?hidden|font-size: ?[01](?:px|pt|em)?|opacity: ?0(?![.\d])|color: ?(?:#fff(?:fff)?|white|transparent))[^<>]{0,200}>([^<]{12,2000})/gi;

function inInvisible(text: string, found: Concealed[]): void {
  for (const match of text.matchAll(INVISIBLE_ELEMENT)) {
    found.push({ text: match[1]!, start: match.index, end: match.index + match[0].length, sure: false });
    if (found.length === ENCODED_MAX) return;
  }
}

const ENCODED_LEAST = 40;

/** Returns whether the text has an unbroken run of encoded characters of this length. Checks each candidate's far end first. */
function hasRun(text: string, length: number): boolean {
  for (let start = 0; start + length <= text.length; ) {
    let at = start + length - 1;
    while (at >= start && isEncodedCode(text.charCodeAt(at))) at--;
    if (at < start) return true;
    start = at + 1;
  }
  return false;
}

const isEncodedCode = (code: number) =>
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x30 && code <= 0x39) ||
  code === 0x2b ||
  code === 0x2f ||
  code === 0x5c;

function encoded(text: string, found: Concealed[]): void {
  let count = 0;
  for (const match of text.matchAll(ENCODED)) {
    const said = readable(Buffer.from(match[0].slice(0, CONCEALED_MAX), "base64"));
    if (said) found.push({ text: said, start: match.index, end: match.index + match[0].length, sure: false });
    if (++count === ENCODED_MAX) break;
  }
  count = 0;
  for (const match of text.matchAll(HEXADECIMAL)) {
    const said = readable(Buffer.from(match[0].replaceAll(/\\x|0x|[^0-9a-f]/gi, "").slice(0, CONCEALED_MAX), "hex"));
    if (said) found.push({ text: said, start: match.index, end: match.index + match[0].length, sure: false });
    if (++count === ENCODED_MAX) break;
  }
}

const PRINTABLE_SHARE = 0.95;

/** Returns the bytes as text if they look like prose, otherwise `null`. */
function readable(bytes: Buffer): string | null {
  let printable = 0;
  let spaces = 0;
  for (const byte of bytes) {
    if (byte >= 0x20 && byte < 0x7f) printable++;
    if (byte === 0x20) spaces++;
  }
  const isProse = printable / bytes.length >= PRINTABLE_SHARE && spaces * 12 >= bytes.length;
  return isProse ? bytes.toString("latin1") : null;
}
