import type { Attributes, LogRecord, SpanEvent, SpanRecord } from "../types";
import { DETAILS_EVENTS } from "./events";
import { type Tree, unflatten } from "./flattened";
import type { SpanView, ViewEvent } from "./span-view";

/** Joins a span with its logs. The span's attributes take precedence over those of an event that repeats them. */
export function viewSpan(span: SpanRecord, logs: readonly LogRecord[]): SpanView {
  const events = span.events.length === 0 && logs.length === 0 ? [] : viewEvents(span.events, logs);
  let attributes = span.attributes;
  for (const event of events) {
    if (!DETAILS_EVENTS.has(event.name)) continue;
    const body = typeof event.body === "object" && !Array.isArray(event.body) ? event.body : null;
    attributes = Object.assign(Object.create(null), body, event.attributes, attributes) as Attributes;
  }
  const trees = new Map<string, Tree | undefined>();
  return {
    span,
    attributes,
    events,
    treeOf(prefix) {
      if (!trees.has(prefix)) trees.set(prefix, unflatten(attributes, prefix));
      return trees.get(prefix);
    },
  };
}

function viewEvents(events: readonly SpanEvent[], logs: readonly LogRecord[]): ViewEvent[] {
  const all: ViewEvent[] = events.map((event) => ({ ...event, body: null }));
  for (const { eventName, timeUs, attributes, body } of logs) {
    if (eventName !== null) all.push({ name: eventName, timeUs, attributes, body });
  }
  // Logs may be stored out of order; the stable sort preserves ties.
  return all.sort((one, other) => one.timeUs - other.timeUs);
}
