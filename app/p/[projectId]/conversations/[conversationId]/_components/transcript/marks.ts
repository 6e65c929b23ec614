import type { Finding, Occurrence } from "@/server/services/diagnostics/schemas";

/** A quote of a Finding's evidence in one message: `[start, end)` of its joined text. */
export type Mark = {
  finding: Finding;
  occurrence: Occurrence;
  start: number;
  end: number;
  quote: string;
  spanId: string | null;
};

export type Segment = { text: string; marked: boolean };

/** Returns the quote's position in `text`: where the evidence locates it, or wherever else it occurs. */
export function locate(
  text: string,
  { start, end, quote }: Pick<Mark, "start" | "end" | "quote">,
): [number, number] | null {
  if (quote === "") return null;
  if (text.slice(start, end) === quote) return [start, end];
  const at = text.indexOf(quote);
  return at < 0 ? null : [at, at + quote.length];
}

/** Splits text at the given ranges. Touching or overlapping ranges are merged. */
export function segmentsOf(text: string, ranges: readonly (readonly [number, number])[]): Segment[] {
  const merged: [number, number][] = [];
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const start = Math.max(0, from);
    const end = Math.min(text.length, to);
    if (end <= start) continue;
    const last = merged.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  const segments: Segment[] = [];
  let at = 0;
  for (const [start, end] of merged) {
    if (start > at) segments.push({ text: text.slice(at, start), marked: false });
    segments.push({ text: text.slice(start, end), marked: true });
    at = end;
  }
  if (at < text.length) segments.push({ text: text.slice(at), marked: false });
  return segments;
}

type Marked = { byMessage: Map<number, Mark[]>; bySpan: Mark[] };

/** Groups evidence by message; evidence found only in a span is separate. */
export function marksOf(pairs: readonly { finding: Finding; occurrence: Occurrence }[]): Marked {
  const byMessage = new Map<number, Mark[]>();
  const bySpan: Mark[] = [];
  for (const { finding, occurrence } of pairs) {
    for (const { messageIndex, start, end, quote, spanId } of occurrence.evidence) {
      const mark = { finding, occurrence, start, end, quote, spanId };
      if (messageIndex === null) bySpan.push(mark);
      else byMessage.set(messageIndex, [...(byMessage.get(messageIndex) ?? []), mark]);
    }
  }
  return { byMessage, bySpan };
}
