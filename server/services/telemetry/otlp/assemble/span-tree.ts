import type { SpanFacts } from "./span-facts";

const never = () => false;

const pathOf = (traceId: string, spanId: string) => `${traceId}/${spanId}`;

/** The spans of a conversation by their place in their traces. Parents may be missing: they may never arrive. */
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
   * Finds the nearest span above another that `matches`. What it climbs over is remembered, so that asking for every span of a
   * deep trace climbs each once. Hostile parents may go in circles: a circle ends where it began.
   */
  finderAbove(
    matches: (above: SpanFacts) => boolean,
    stops: (above: SpanFacts) => boolean = never,
  ): (span: SpanFacts) => SpanFacts | undefined {
    const known = new Map<SpanFacts, SpanFacts | undefined>();
    return (span) => {
      const climbed: SpanFacts[] = [];
      let found: SpanFacts | undefined;
      for (let at: SpanFacts | undefined = span; at; ) {
        if (known.has(at)) {
          found = known.get(at);
          break;
        }
        known.set(at, undefined);
        climbed.push(at);
        const above = this.parentOf(at);
        if (above && matches(above)) found = above;
        if (!above || found || stops(above)) break;
        at = above;
      }
      for (const below of climbed) known.set(below, found);
      return found;
    };
  }

  /**
   * Every span that has one of `spans` below it, with none that `stops` between. Each span is climbed over once, however many
   * lie below it.
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
