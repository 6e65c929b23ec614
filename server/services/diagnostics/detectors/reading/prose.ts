import type { Message } from "@/server/services/telemetry/schemas";
import { blank, textOf } from "./text";

type Range = readonly [start: number, end: number];

const FENCES = ["```", "~~~"] as const;
/** A line of a pasted chat log. Two such lines in a row are a transcript. */
const SPEAKER_LINE =
  /^[ \t]{0,8}(?:\*\*)?(?:user|human|customer|client|assistant|agent|bot|ai|system|caller|support|representative|chatbot|q|a)(?:\*\*)?[ \t]{0,3}:/i;
const QUOTING_TAGS = ["transcript", "conversation", "document", "documents", "chat_log", "context", "email"] as const;

/** Returns ranges of fenced code including the fences; an unclosed fence extends to the end. */
export function fencedCode(text: string): Range[] {
  const ranges: Range[] = [];
  const next = FENCES.map((fence) => finder(text, fence));
  let from = 0;
  while (from < text.length) {
    const starts = next.map((find) => find(from));
    const start = Math.min(...starts);
    if (start === Number.POSITIVE_INFINITY) break;
    const which = starts.indexOf(start);
    const width = FENCES[which]!.length;
    const close = next[which]!(start + width);
    const end = Math.min(text.length, close + width);
    ranges.push([start, end]);
    from = end;
  }
  return ranges;
}

/**
 * Returns an `indexOf` for ascending start positions, which returns infinity when there is no match. Remembers the next
 * match, because text full of fences would otherwise be scanned to its end over and over.
 */
function finder(text: string, needle: string): (from: number) => number {
  let at = -1;
  return (from) => {
    if (at < from) {
      const found = text.indexOf(needle, from);
      at = found < 0 ? Number.POSITIVE_INFINITY : found;
    }
    return at;
  };
}

/** Returns ranges of `inline code` on one line. */
function inlineCode(text: string): Range[] {
  const ranges: Range[] = [];
  const [nextTick, nextLine] = [finder(text, "`"), finder(text, "\n")];
  let from = 0;
  while (from < text.length) {
    const open = nextTick(from);
    const close = nextTick(open + 1);
    if (close === Number.POSITIVE_INFINITY) break;
    const newline = nextLine(open);
    if (newline < close) {
      from = newline;
      continue;
    }
    ranges.push([open, close + 1]);
    from = close + 1;
  }
  return ranges;
}

/** Characters of a line that determine whether it is quoted. */
const LINE_READ = 60;

/** Returns ranges of block quotes (`> …`) and pasted transcripts (two or more `Speaker: …` lines in a row). */
function quotedLines(text: string): Range[] {
  if (!text.includes("\n") || !(text.includes(":") || text.includes(">"))) return [];
  const ranges: Range[] = [];
  let speakers: Range[] = [];
  const flush = () => {
    // Not spread into one call: a hundred thousand lines exceed the limit on arguments.
    if (speakers.length > 1) for (const line of speakers) ranges.push(line);
    if (speakers.length > 0) speakers = [];
  };
  const nextColon = finder(text, ":");
  let start = 0;
  while (start < text.length) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const head = Math.min(end, start + LINE_READ);
    if (nextColon(start) < head && SPEAKER_LINE.test(text.slice(start, head))) speakers.push([start, end]);
    else {
      const first = firstVisible(text, start, head);
      if (first !== "") flush();
      if (first === ">") ranges.push([start, end]);
    }
    start = end + 1;
  }
  flush();
  return ranges;
}

/** Returns the first character of `[start, end)` that is not white space, or "". */
function firstVisible(text: string, start: number, end: number): string {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x20) continue;
    const character = text[at]!;
    const isPlain = code > 0x20 && code < 0x80;
    if (isPlain || character.trim() !== "") return character;
  }
  return "";
}

function quotedTags(text: string): Range[] {
  if (!text.includes("</")) return [];
  const ranges: Range[] = [];
  for (const tag of QUOTING_TAGS) {
    let start = text.indexOf(`<${tag}>`);
    while (start >= 0) {
      const close = text.indexOf(`</${tag}>`, start);
      if (close < 0) break;
      const end = close + tag.length + 3;
      ranges.push([start, end]);
      start = text.indexOf(`<${tag}>`, end);
    }
  }
  return ranges.sort((a, b) => a[0] - b[0]);
}

/** Text without any of these has nothing quoted. */
const MARKS = /[`\n]|~~~|<\//;

/** Returns `text` with code, block quotes and quoted transcripts replaced by spaces, which preserves offsets. */
export function proseIn(text: string): string {
  if (!MARKS.test(text)) return text;
  let prose = text;
  if (prose.includes("```") || prose.includes("~~~")) prose = blank(prose, fencedCode(prose));
  if (prose.includes("`")) prose = blank(prose, inlineCode(prose));
  prose = blank(prose, quotedTags(prose));
  return blank(prose, quotedLines(prose));
}

const proses = new WeakMap<Message, string>();
/** Characters. Shorter text is faster to process again than to memoize. */
const SHORT = 100;

/** Returns `proseIn` of a message's text, memoized per message. */
export function proseOf(message: Message): string {
  const text = textOf(message);
  if (text.length < SHORT) return proseIn(text);
  let prose = proses.get(message);
  if (prose === undefined) {
    prose = proseIn(text);
    proses.set(message, prose);
  }
  return prose;
}
