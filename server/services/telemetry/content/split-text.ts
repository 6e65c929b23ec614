/** Consecutive pieces of a text, which is `pieces.join(separator)`. */
export type Run = { separator: string; pieces: readonly string[] };

/** A shorter list or text is not split. */
const SPLIT_CHARACTERS = 1_024;
/** Lists of shorter items, such as the numbers of an embedding, stay whole. */
export const ITEM_CHARACTERS = 64;
/** Lists nested deeper are ignored: a request has its messages nearer to the top. */
const DEEPEST_LIST = 6;

/**
 * Splits a text so that one that only grew at its end yields the same pieces plus new ones: JSON between the items of its long
 * lists, any other text after line ends. The runs joined are always exactly the text.
 */
export function splitText(text: string): Run[] {
  if (text.length < SPLIT_CHARACTERS) return [whole(text)];
  return (/^\s*[[{]/.test(text) ? splitJson(text) : undefined) ?? splitLines(text);
}

const whole = (text: string): Run => ({ separator: "", pieces: [text] });

function splitLines(text: string): Run[] {
  const pieces: string[] = [];
  let from = 0;
  for (let at = text.indexOf("\n", SPLIT_CHARACTERS); at !== -1 && at + 1 < text.length; ) {
    pieces.push(text.slice(from, at + 1));
    from = at + 1;
    at = text.indexOf("\n", from + SPLIT_CHARACTERS);
  }
  return [{ separator: "", pieces: [...pieces, text.slice(from)] }];
}

type List = { from: number; items: number[] };

/** Returns `undefined` if the text is not JSON, or has no list to split. */
function splitJson(text: string): Run[] | undefined {
  const lists = listsIn(text);
  if (!lists) return undefined;
  const runs: Run[] = [];
  let end = 0;
  // The outermost come first; those inside are skipped.
  for (const { items } of lists.sort((one, other) => one.from - other.from)) {
    const [first] = items;
    if (first === undefined || first < end) continue;
    const separator = separatorOf(text, items);
    if (separator === undefined) continue;
    const pieces: string[] = [];
    for (let n = 0; n < items.length; n += 2) pieces.push(text.slice(items[n], items[n + 1]));
    if (first > end) runs.push(whole(text.slice(end, first)));
    runs.push({ separator, pieces });
    end = items.at(-1) ?? end;
  }
  if (runs.length === 0) return undefined;
  if (end < text.length) runs.push(whole(text.slice(end)));
  return runs;
}

/** Returns the separator between the items if it is always the same. */
function separatorOf(text: string, items: readonly number[]): string | undefined {
  const separator = text.slice(items[1], items[2]);
  for (let n = 1; n + 1 < items.length; n += 2) {
    const length = (items[n + 1] ?? 0) - (items[n] ?? 0);
    if (length !== separator.length || !text.startsWith(separator, items[n])) return undefined;
  }
  return separator;
}

/** A list or object that has not ended; `start` is that of its current item, or -1. */
type Open = { isList: boolean; from: number; items: number[] | null; start: number };

/**
 * Returns the long lists of a JSON text, each with the start and end of its items. Follows only brackets and strings, which
 * suffices for splitting and is cheaper than parsing.
 */
function listsIn(text: string): List[] | undefined {
  const found: List[] = [];
  const open: Open[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isSpace(code)) continue;
    const inner = open.at(-1);
    if (code === COMMA) endItem(text, inner, at);
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      if (inner?.isList !== (code === CLOSE_LIST)) return undefined;
      endItem(text, inner, at);
      open.pop();
      if (inner.items && isLong(inner.items)) found.push({ from: inner.from, items: inner.items });
    } else {
      if (inner?.start === -1) inner.start = at;
      if (code === OPEN_LIST || code === OPEN_OBJECT) {
        const isList = code === OPEN_LIST;
        open.push({ isList, from: at, items: isList && open.length < DEEPEST_LIST ? [] : null, start: -1 });
      } else if (code === QUOTE) {
        at = endOfString(text, at);
        if (at === -1) return undefined;
      }
    }
  }
  return open.length === 0 ? found : undefined;
}

function endItem(text: string, inner: Open | undefined, at: number): void {
  if (!inner || inner.start === -1) return;
  let end = at;
  while (end > inner.start && isSpace(text.charCodeAt(end - 1))) end--;
  inner.items?.push(inner.start, end);
  inner.start = -1;
}

/** Whether there are at least two items, and enough text to be worth the references. */
function isLong(items: readonly number[]): boolean {
  const length = (items.at(-1) ?? 0) - (items[0] ?? 0);
  return items.length >= 4 && length >= SPLIT_CHARACTERS && length >= (items.length / 2) * ITEM_CHARACTERS;
}

/** Returns the position of the quote that ends the string, or -1. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}

const isSpace = (code: number) => code === 32 || code === 10 || code === 13 || code === 9;
const QUOTE = 34;
const COMMA = 44;
const OPEN_LIST = 91;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
