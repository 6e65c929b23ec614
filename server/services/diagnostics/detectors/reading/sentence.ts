const BOUNDARY = /[.!?。！？\n]/;
/** Characters to each side. */
const REACH = 140;
/** Characters within which a word that the reach cuts is left out. */
const WORD = 24;

/** Returns `[start, end)` of the sentence around a range, within `REACH` characters of it. Does not begin within a word. */
export function sentenceAround(text: string, start: number, end: number): [number, number] {
  let from = start;
  while (from > 0 && start - from < REACH && !BOUNDARY.test(text[from - 1]!)) from--;
  if (start - from >= REACH && /\S/.test(text[from - 1] ?? " ")) {
    const space = text.slice(from, from + WORD).search(/\s/);
    if (space >= 0) from += space + 1;
  }
  let to = end;
  while (to < text.length && to - end < REACH && !BOUNDARY.test(text[to]!)) to++;
  while (from < start && text[from] === " ") from++;
  return [from, Math.min(text.length, to + 1)];
}
