import type { Attributes, AttributeValue, LogRecord, SpanEvent, SpanRecord } from "../types";
import { type Tree, unflatten } from "./flattened";

/** An event or log record of a span: clients send one or the other, with the same names. */
export type ViewEvent = { name: string; timeUs: number; attributes: Attributes; body: AttributeValue };

/** Prefixes of attributes that hold flattened lists of messages. */
export const MESSAGE_PREFIXES = [
  "gen_ai.prompt.",
  "gen_ai.completion.",
  "llm.input_messages.",
  "llm.output_messages.",
] as const;
export type MessagePrefix = (typeof MESSAGE_PREFIXES)[number];

/** A span with its events and log records. */
export type SpanView = {
  span: SpanRecord;
  attributes: Attributes;
  events: readonly ViewEvent[];
  /**
   * Returns the attributes under a prefix as a tree, built on first use: a long list shared by several spans is read item by
   * item instead.
   */
  treeOf(prefix: MessagePrefix): Tree | undefined;
};

/** The event that repeats a call's attributes; some clients send the content only in it. */
const DETAILS = "gen_ai.client.inference.operation.details";

/** Joins a span with its logs. The span's attributes take precedence over those of a details event. */
export function viewSpan(span: SpanRecord, logs: readonly LogRecord[]): SpanView {
  const events = span.events.length === 0 && logs.length === 0 ? [] : viewEvents(span.events, logs);
  let attributes = span.attributes;
  for (const event of events) {
    if (event.name !== DETAILS) continue;
    const body = typeof event.body === "object" && !Array.isArray(event.body) ? event.body : null;
    attributes = Object.assign(Object.create(null), body, event.attributes, attributes) as Attributes;
  }
  const trees = new Map<MessagePrefix, Tree | undefined>();
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
