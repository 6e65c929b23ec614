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
  let from = 0;
  while (from < text.length) {
    const starts = FENCES.map((fence) => [text.indexOf(fence, from), fence] as const).filter(([at]) => at >= 0);
    const [start, fence] = starts.reduce((first, next) => (next[0] < first[0] ? next : first), [
      text.length,
      "```",
    ] as const);
    if (start >= text.length) break;
    const close = text.indexOf(fence, start + fence.length);
    const end = close < 0 ? text.length : close + fence.length;
    ranges.push([start, end]);
    from = end;
  }
  return ranges;
}

/** `inline code` on one line. */
function inlineCode(text: string): Range[] {
  const ranges: Range[] = [];
  let open = text.indexOf("`");
  while (open >= 0) {
    const close = text.indexOf("`", open + 1);
    if (close < 0) break;
    const newline = text.indexOf("\n", open);
    if (newline >= 0 && newline < close) {
      open = text.indexOf("`", newline);
      continue;
    }
    ranges.push([open, close + 1]);
    open = text.indexOf("`", close + 1);
  }
  return ranges;
}

/** Block quotes (`> …`) and pasted transcripts (two or more `Speaker: …` lines in a row). */
function quotedLines(text: string): Range[] {
  if (!text.includes("\n")) return [];
  const ranges: Range[] = [];
  let speakers: Range[] = [];
  const flush = () => {
    if (speakers.length > 1) ranges.push(...speakers);
    speakers = [];
  };
  let start = 0;
  while (start < text.length) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const head = text.slice(start, Math.min(end, start + 60));
    if (SPEAKER_LINE.test(head)) speakers.push([start, end]);
    else if (head.trim() !== "") {
      flush();
      if (head.trimStart().startsWith(">")) ranges.push([start, end]);
    }
    start = end + 1;
  }
  flush();
  return ranges;
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

/** `text` with code, block quotes and quoted transcripts written as spaces: what its author says. Offsets stay true. */
export function proseIn(text: string): string {
  let prose = text;
  if (prose.includes("```") || prose.includes("~~~")) prose = blank(prose, fencedCode(prose));
  if (prose.includes("`")) prose = blank(prose, inlineCode(prose));
  prose = blank(prose, quotedTags(prose));
  return blank(prose, quotedLines(prose));
}

const proses = new WeakMap<Message, string>();

/** `proseIn` the text of a message. */
export function proseOf(message: Message): string {
  let prose = proses.get(message);
  if (prose === undefined) {
    prose = proseIn(textOf(message));
    proses.set(message, prose);
  }
  return prose;
}
