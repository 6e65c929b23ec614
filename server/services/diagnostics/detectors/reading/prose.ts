import type { Message } from "@/server/services/telemetry/schemas";
import { blank, textOf } from "./text";

type Range = readonly [start: number, end: number];

const FENCES = ["```", "~~~"] as const;
/** A pasted log of a chat: somebody else's words. Two such lines in a row make a transcript. */
const SPEAKER_LINE =
  /^[ \t]{0,8}(?:\*\*)?(?:user|human|customer|client|assistant|agent|bot|ai|system|caller|support|representative|chatbot|q|a)(?:\*\*)?[ \t]{0,3}:/i;
const QUOTING_TAGS = ["transcript", "conversation", "document", "documents", "chat_log", "context", "email"] as const;

/** Fenced code, from its opening fence to its closing one; an unclosed fence runs to the end. */
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
 * Where `needle` comes next, for starts that only grow; infinity once it does not come. It looks ahead once for each place,
 * not once for each question: text full of fences would otherwise be read again and again to its end.
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

/** `inline code` on one line. */
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

/** Characters of a line that tell whether it is quoted. */
const LINE_READ = 60;

/** Block quotes (`> …`) and pasted transcripts (two or more `Speaker: …` lines in a row). */
function quotedLines(text: string): Range[] {
  if (!text.includes("\n") || !(text.includes(":") || text.includes(">"))) return [];
  const ranges: Range[] = [];
  let speakers: Range[] = [];
  const flush = () => {
    // One by one: a spread of a hundred thousand lines is more arguments than a call may have.
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

/** The first character of `[start, end)` that is not white space; "" where there is none. */
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

/** Without one of these, nothing is quoted. */
const MARKS = /[`\n]|~~~|<\//;

/** `text` with code, block quotes and quoted transcripts written as spaces: what its author says. Offsets stay true. */
export function proseIn(text: string): string {
  if (!MARKS.test(text)) return text;
  let prose = text;
  if (prose.includes("```") || prose.includes("~~~")) prose = blank(prose, fencedCode(prose));
  if (prose.includes("`")) prose = blank(prose, inlineCode(prose));
  prose = blank(prose, quotedTags(prose));
  return blank(prose, quotedLines(prose));
}

const proses = new WeakMap<Message, string>();
/** Characters. Reading a shorter text again costs less than to remember it. */
const SHORT = 100;

/** `proseIn` the text of a message. */
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
