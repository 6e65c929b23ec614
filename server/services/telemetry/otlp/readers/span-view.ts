import type { Attributes, AttributeValue, LogRecord, SpanEvent, SpanRecord } from "../types";
import { unflatten } from "./flattened";

/** An event of a span, or a log record of it: some clients send the one, some the other, with the same names. */
export type ViewEvent = { name: string; timeUs: number; attributes: Attributes; body: AttributeValue };

/** Prefixes of attributes that hold flattened lists of messages. */
export const MESSAGE_PREFIXES = [
  "gen_ai.prompt.",
  "gen_ai.completion.",
  "llm.input_messages.",
  "llm.output_messages.",
] as const;

/** One span with everything that tells about it. */
export type SpanView = {
  span: SpanRecord;
  attributes: Attributes;
  events: readonly ViewEvent[];
  trees: ReturnType<typeof unflatten<(typeof MESSAGE_PREFIXES)[number]>>;
};

/** The event that repeats a call's attributes; for some clients it is the only one that has the content. */
const DETAILS = "gen_ai.client.inference.operation.details";

/** Joins a span with its logs. What the span itself says wins over what a details event says. */
export function viewSpan(span: SpanRecord, logs: readonly LogRecord[]): SpanView {
  const events = span.events.length === 0 && logs.length === 0 ? [] : viewEvents(span.events, logs);
  let attributes = span.attributes;
  for (const event of events) {
    if (event.name !== DETAILS) continue;
    const body = typeof event.body === "object" && !Array.isArray(event.body) ? event.body : null;
    attributes = Object.assign(Object.create(null), body, event.attributes, attributes) as Attributes;
  }
  return { span, attributes, events, trees: unflatten(attributes, MESSAGE_PREFIXES) };
}

function viewEvents(events: readonly SpanEvent[], logs: readonly LogRecord[]): ViewEvent[] {
  const all: ViewEvent[] = events.map((event) => ({ ...event, body: null }));
  for (const { eventName, timeUs, attributes, body } of logs) {
    if (eventName !== null) all.push({ name: eventName, timeUs, attributes, body });
  }
  // logs may be stored in another order than they were written; events of one time keep theirs
  return all.sort((one, other) => one.timeUs - other.timeUs);
}
