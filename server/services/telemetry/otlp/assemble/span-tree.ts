import type { SpanFacts } from "./span-facts";

const pathOf = (traceId: string, spanId: string) => `${traceId}/${spanId}`;

/** The spans of a conversation by their place in their traces. Parents may be missing: they may never arrive. */
export class SpanTree {
  private readonly byId = new Map<string, SpanFacts>();

  constructor(spans: readonly SpanFacts[]) {
    for (const span of spans) this.byId.set(pathOf(span.traceId, span.spanId), span);
  }

  parentOf(span: SpanFacts): SpanFacts | undefined {
    return span.parentSpanId === null ? undefined : this.byId.get(pathOf(span.traceId, span.parentSpanId));
  }

  /** The nearest span above that `matches`. Hostile parents may go in circles. */
  nearestAbove(span: SpanFacts, matches: (above: SpanFacts) => boolean): SpanFacts | undefined {
    const seen = new Set([span]);
    for (let above = this.parentOf(span); above && !seen.has(above); above = this.parentOf(above)) {
      if (matches(above)) return above;
      seen.add(above);
    }
    return undefined;
  }

  /** Every span that has one of `spans` below it. Each span is climbed over once, however many lie below it. */
  allAbove(spans: readonly SpanFacts[]): Set<SpanFacts> {
    const found = new Set<SpanFacts>();
    for (const span of spans) {
      for (let above = this.parentOf(span); above && !found.has(above); above = this.parentOf(above)) found.add(above);
    }
    return found;
  }
}
