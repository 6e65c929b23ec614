/** The part of a span that a waterfall needs. */
export type TreeSpan = { spanId: string; parentSpanId: string | null; startedAt: number; endedAt: number };
export type PlacedSpan<S> = { span: S; depth: number; children: number };

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
  const stack = [...(children.get(null) ?? [])].reverse().map((span) => ({ span, depth: 0 }));
  for (let next = stack.pop(); next; next = stack.pop()) {
    if (seen.has(next.span.spanId)) continue;
    seen.add(next.span.spanId);
    const own = children.get(next.span.spanId) ?? [];
    placed.push({ ...next, children: own.length });
    for (const child of [...own].reverse()) stack.push({ span: child, depth: next.depth + 1 });
  }
  for (const span of spans) if (!seen.has(span.spanId)) placed.push({ span, depth: 0, children: 0 });
  return placed;
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
