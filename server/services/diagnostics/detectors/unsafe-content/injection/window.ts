import { codeUnits } from "../../reading/code-units";

/** The part `[start, end)` of an original, on one line. */
export type Window = { text: string; original: string; start: number; end: number };

const BEFORE = 260;
const AFTER = 420;
const RANGES_MAX = 100;
const ORDINARY = 0;
const SPACE = 1;
/** Zero-width and direction characters and variation selectors, which hide words from a search. */
const INVISIBLE = 2;
const ESCAPE = 3;
/** The space that replaces all other white space. */
const BLANK = 0x20;
const INVISIBLE_RANGES = [
  [0xad, 0xad],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x2064],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
] as const;
const KINDS = Uint8Array.from({ length: 0x1_0000 }, (_, code) => {
  if (INVISIBLE_RANGES.some(([first, last]) => code >= first && code <= last)) return INVISIBLE;
  const character = String.fromCharCode(code);
  if (/\s/.test(character)) return SPACE;
  return character === "\\" ? ESCAPE : ORDINARY;
});

/** Returns ranges around the given positions (ascending), joined where they overlap. */
export function rangesAround(length: number, positions: readonly number[]): (readonly [number, number])[] {
  const ranges: [number, number][] = [];
  for (const at of positions) {
    const [start, end] = [Math.max(0, at - BEFORE), Math.min(length, at + AFTER)];
    const last = ranges.at(-1);
    if (last && start <= last[1] && end - last[0] <= 2 * (BEFORE + AFTER)) last[1] = Math.max(last[1], end);
    else if (ranges.length === RANGES_MAX) break;
    else ranges.push([start, end]);
  }
  return ranges;
}

/** Returns a window of text. Joins lines, including those that YAML folds or JSON escapes, and drops invisible characters. */
export function windowOf(text: string, from: number, to: number): Window {
  // The character after the window determines how an escape at its end is read.
  const codes = codeUnits(text.slice(from, to + 1));
  const { length } = text;
  let line = "";
  let inSpace = true;
  /** Start of a run of ordinary characters, which are copied together. */
  let run = from;
  for (let at = from; at < to; at++) {
    const code = codes[at - from]!;
    const kind = KINDS[code]!;
    if (kind === ORDINARY || (code === BLANK && !inSpace)) {
      inSpace = kind === SPACE;
      continue;
    }
    if (run < at) line += text.slice(run, at);
    const next = kind === ESCAPE && at + 1 < length ? codes[at + 1 - from]! : 0;
    const written = writtenFor(kind, next, inSpace);
    if (written !== "") {
      line += written;
      inSpace = written === " ";
    }
    if (kind === ESCAPE && isEscapedSpace(next)) at++;
    run = at + 1;
  }
  return { text: line + text.slice(Math.min(run, to), to), original: text, start: from, end: to };
}

/** Returns what replaces a character that is not ordinary; `next` is the character after an escape. */
function writtenFor(kind: number, next: number, inSpace: boolean): string {
  const isSpace =
    kind === SPACE || (kind === ESCAPE && (isEscapedSpace(next) || next === LINE_BREAK || next === BLANK));
  if (isSpace) return inSpace ? "" : " ";
  return kind === ESCAPE && next !== QUOTE && next !== APOSTROPHE ? "\\" : "";
}

const LINE_BREAK = 0x0a;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;
/** Returns whether the character after an escape is "n", "r" or "t" and thus belongs to it. */
const isEscapedSpace = (next: number) => next === 0x6e || next === 0x72 || next === 0x74;

/** Returns the original range of `[start, end)` in a window. Rereads the original, because few windows need this. */
export function originalRange(window: Window, start: number, end: number): readonly [number, number] {
  const { original } = window;
  let from = window.end;
  let last = window.end - 1;
  let written = 0;
  let inSpace = true;
  for (let at = window.start; at < window.end && written < end; at++) {
    const kind = KINDS[original.charCodeAt(at)]!;
    const next = kind === ESCAPE && at + 1 < original.length ? original.charCodeAt(at + 1) : 0;
    const stands: string = kind === ORDINARY ? original[at]! : writtenFor(kind, next, inSpace);
    if (stands !== "") {
      if (written === start) from = at;
      if (written === end - 1) last = at;
      written++;
      inSpace = stands === " ";
    }
    if (kind === ESCAPE && isEscapedSpace(next)) at++;
  }
  return [from, Math.max(from, last + 1)];
}
