const BOUNDARY = /[.!?。！？\n]/;
/** Characters to each side. */
const REACH = 140;

/** Returns `[start, end)` of the sentence around a range, within `REACH` characters of it. */
export function sentenceAround(text: string, start: number, end: number): [number, number] {
  let from = start;
  while (from > 0 && start - from < REACH && !BOUNDARY.test(text[from - 1]!)) from--;
  let to = end;
  while (to < text.length && to - end < REACH && !BOUNDARY.test(text[to]!)) to++;
  while (from < start && text[from] === " ") from++;
  return [from, Math.min(text.length, to + 1)];
}
