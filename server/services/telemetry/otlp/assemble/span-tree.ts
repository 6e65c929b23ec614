import type { SpanFacts } from "./span-facts";

const never = () => false;

const pathOf = (traceId: string, spanId: string) => `${traceId}/${spanId}`;

/** The parent relations of a conversation's spans. Parents may be missing: they may never arrive. */
export class SpanTree {
  private readonly byId = new Map<string, SpanFacts>();

  constructor(spans: readonly SpanFacts[]) {
    for (const span of spans) this.byId.set(pathOf(span.traceId, span.spanId), span);
  }

  parentOf(span: SpanFacts): SpanFacts | undefined {
    if (span.parentSpanId === null || span.parentSpanId === span.spanId) return undefined;
    return this.byId.get(pathOf(span.traceId, span.parentSpanId));
  }

  /**
   * Returns a memoized function that finds the nearest ancestor that `matches`, so that lookups for all spans of a deep trace
   * visit each span once. Parents may form cycles: a search ends where it began.
   */
  finderAbove(
    matches: (above: SpanFacts) => boolean,
    stops: (above: SpanFacts) => boolean = never,
  ): (span: SpanFacts) => SpanFacts | undefined {
    const known = new Map<SpanFacts, SpanFacts | undefined>();
    return (span) => {
      const visited: SpanFacts[] = [];
      let found: SpanFacts | undefined;
      for (let at: SpanFacts | undefined = span; at; ) {
        if (known.has(at)) {
          found = known.get(at);
          break;
        }
        known.set(at, undefined);
        visited.push(at);
        const above = this.parentOf(at);
        if (above && matches(above)) found = above;
        if (!above || found || stops(above)) break;
        at = above;
      }
      for (const below of visited) known.set(below, found);
      return found;
    };
  }

  /** Returns a memoized function that counts a span's known ancestors. In a cycle of parents, counting ends where it began. */
  depths(): (span: SpanFacts) => number {
    const known = new Map<SpanFacts, number>();
    return (span) => {
      const visited: SpanFacts[] = [];
      let depth = -1;
      for (let at: SpanFacts | undefined = span; at; at = this.parentOf(at)) {
        const there = known.get(at);
        if (there !== undefined) {
          depth = there;
          break;
        }
        known.set(at, 0);
        visited.push(at);
      }
      for (const below of visited.reverse()) known.set(below, ++depth);
      return known.get(span) ?? 0;
    };
  }

  /**
   * Returns all ancestors of `spans`, up to and including the first that `stops`. Visits each ancestor once, however many
   * spans are below it.
   */
  allAbove(spans: readonly SpanFacts[], stops: (above: SpanFacts) => boolean = never): Set<SpanFacts> {
    const found = new Set<SpanFacts>();
    for (const span of spans) {
      let above = this.parentOf(span);
      while (above && !found.has(above)) {
        found.add(above);
        above = stops(above) ? undefined : this.parentOf(above);
      }
    }
    return found;
  }
}
