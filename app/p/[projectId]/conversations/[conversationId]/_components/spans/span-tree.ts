import { tokensIn } from "@/app/p/[projectId]/_components/costs/usage-words";

/** The part of a span that its place needs. */
export type TreeSpan = { spanId: string; parentSpanId: string | null; startedAt: number; endedAt: number };

/** A span in its tree. Positions are those in the whole list, in which the spans below one follow it. */
export type PlacedSpan<S> = {
  span: S;
  depth: number;
  /** Position of the parent; -1 for a root. */
  parent: number;
  children: number;
  /** Spans below it, at any depth. */
  below: number;
  /** Which of its siblings it is, from 1, and how many there are. */
  nth: number;
  siblings: number;
};

/**
 * Orders parents before children and siblings by time. Spans without a parent in the trace are roots; cycles come last,
 * flat. Iterative, because traces can be deep.
 */
export function placeSpans<S extends TreeSpan>(spans: readonly S[]): PlacedSpan<S>[] {
  const known = new Set(spans.map((span) => span.spanId));
  const children = new Map<string | null, S[]>();
  for (const span of [...spans].sort((a, b) => a.startedAt - b.startedAt || a.endedAt - b.endedAt)) {
    const parent =
      span.parentSpanId !== null && known.has(span.parentSpanId) && span.parentSpanId !== span.spanId
        ? span.parentSpanId
        : null;
    const siblings = children.get(parent);
    if (siblings) siblings.push(span);
    else children.set(parent, [span]);
  }
  const placed: PlacedSpan<S>[] = [];
  const seen = new Set<string>();
  const childrenOf = (spanId: string | null, parent: number, depth: number) => {
    const own = children.get(spanId) ?? [];
    return own.map((span, index) => ({ span, depth, parent, nth: index + 1, siblings: own.length })).reverse();
  };
  const stack = childrenOf(null, -1, 0);
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { spanId } = next.span;
    if (seen.has(spanId)) continue;
    seen.add(spanId);
    const own = childrenOf(spanId, placed.length, next.depth + 1);
    placed.push({ ...next, children: own.length, below: 0 });
    for (const child of own) stack.push(child);
  }
  for (const { parent, below } of [...placed].reverse()) {
    const above = placed[parent];
    if (above) above.below += below + 1;
  }
  for (const span of spans)
    if (!seen.has(span.spanId)) placed.push({ span, depth: 0, parent: -1, children: 0, below: 0, nth: 1, siblings: 1 });
  return placed;
}

/** So many spans in a row are shown as one; fewer are read faster than opened. */
const REPEATS_MIN = 4;

type Named = { name: string; type: string; status: string; model: string | null };

/**
 * Returns how often a span is repeated, by the position of the first: siblings in a row with the same name, type, model and
 * status, and nothing below them.
 */
export function repeatsIn(placed: readonly PlacedSpan<TreeSpan & Named>[]): Map<number, number> {
  const repeats = new Map<number, number>();
  for (let first = 0, end = 1; first < placed.length; first = end++) {
    while (isRepeated(placed[first]!, placed[end])) end++;
    if (end - first >= REPEATS_MIN) repeats.set(first, end - first);
  }
  return repeats;
}

const isRepeated = (one: PlacedSpan<Named>, next: PlacedSpan<Named> | undefined) =>
  next !== undefined &&
  one.children + next.children === 0 &&
  one.parent === next.parent &&
  one.span.name === next.span.name &&
  one.span.type === next.span.type &&
  one.span.model === next.span.model &&
  one.span.status === next.span.status;

/** Returns the positions of the spans that are not below a folded one. Of closed repeats, that is the first. */
export function unfolded(
  placed: readonly PlacedSpan<TreeSpan>[],
  folded: ReadonlySet<string>,
  closed: ReadonlyMap<number, number> = new Map(),
): number[] {
  const rows: number[] = [];
  for (let at = 0; at < placed.length; at++) {
    const { span, below } = placed[at]!;
    rows.push(at);
    at += (closed.get(at) ?? 1) - 1;
    if (folded.has(span.spanId)) at += below;
  }
  return rows;
}

/** Returns the ids of all spans above one. */
export function idsAbove(placed: readonly PlacedSpan<TreeSpan>[], position: number): string[] {
  const ids: string[] = [];
  for (let at = placed[position]?.parent ?? -1; at >= 0; at = placed[at]!.parent) ids.push(placed[at]!.span.spanId);
  return ids;
}

type Counted = { counted: boolean; usage: Readonly<Record<string, number>> | null; cost: number | null };

/** What model calls used: `null` where nothing is known, and how many calls it leaves out. */
export type CallSum = { calls: number; tokens: number | null; cost: number | null; unpriced: number };

/** Returns for each span the sum of the model calls that it is or that are below it; `null` without any. */
export function callSums(placed: readonly PlacedSpan<TreeSpan & Counted>[]): (CallSum | null)[] {
  const sums = placed.map(({ span: { counted, usage, cost } }): CallSum | null =>
    counted ? { calls: 1, tokens: usage && tokensIn(usage), cost, unpriced: cost === null ? 1 : 0 } : null,
  );
  for (let at = placed.length - 1; at >= 0; at--) {
    const { parent } = placed[at]!;
    const own = sums[at];
    if (parent >= 0 && own) sums[parent] = added(sums[parent] ?? null, own);
  }
  return sums;
}

/** Returns the sum of the model calls of several spans in a row; `null` without any. */
export const sumOf = (sums: readonly (CallSum | null)[], from: number, count: number): CallSum | null =>
  sums.slice(from, from + count).reduce((sum, own) => (own === null ? sum : added(sum, own)), null);

const added = (one: CallSum | null, other: CallSum): CallSum =>
  one === null
    ? { ...other }
    : {
        calls: one.calls + other.calls,
        tokens: plus(one.tokens, other.tokens),
        cost: plus(one.cost, other.cost),
        unpriced: one.unpriced + other.unpriced,
      };

const plus = (one: number | null, other: number | null) => (one === null ? other : other === null ? one : one + other);

type Searched = { name: string; type: string; model: string | null; words: string | null };

/** Returns the positions of spans whose name, type, model, first words or id contain the text, whatever its case. */
export function spansWith(placed: readonly PlacedSpan<TreeSpan & Searched>[], text: string): number[] {
  const sought = text.trim().toLowerCase();
  if (sought === "") return [];
  const has = (value: string | null) => value?.toLowerCase().includes(sought) ?? false;
  return placed.flatMap(({ span }, position) =>
    has(span.name) || has(span.model) || has(span.words) || span.type === sought || span.spanId === sought
      ? [position]
      : [],
  );
}

/** Returns the time covered by all spans, without spreading arrays onto the stack. */
export function extentOf(spans: readonly TreeSpan[]): { start: number; end: number } {
  let start = Number.POSITIVE_INFINITY;
  let end = Number.NEGATIVE_INFINITY;
  for (const span of spans) {
    start = Math.min(start, span.startedAt);
    end = Math.max(end, span.endedAt, span.startedAt);
  }
  return spans.length === 0 ? { start: 0, end: 0 } : { start, end };
}
