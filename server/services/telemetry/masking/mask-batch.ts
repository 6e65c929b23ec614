import { createHmac } from "node:crypto";
import { derivedSecret } from "@/server/platform/secrets";
import { isIdentity, isMessageEvent, isMessageText } from "../otlp/message-text";
import type { Attributes, AttributeValue, Decoded, LogRecord, SpanRecord } from "../otlp/types";
import { maskText, namesSecret, type Tally } from "./mask-text";
import { changedFields, changedItems, maskField, maskValue } from "./mask-value";

/** Whether a project wants the text of its messages masked as well. */
export type Masking = { messages: boolean };
export type Masked<Item> = Decoded<Item> & { masked: number };

/** A batch as it may be stored: without secrets where nobody will look for them, and `masked` says how many there were. */
export function maskSpans(batch: Decoded<SpanRecord>, masking: Masking): Masked<SpanRecord> {
  const { tally, attributes, resources } = masker(masking);
  const events = (given: SpanRecord["events"]) =>
    changedItems(given, (event) =>
      isMessageEvent(event.name) && !masking.messages
        ? event
        : changed(event, { attributes: attributes(event.attributes) }),
    );
  const items = batch.items.map((span) => {
    const { message } = span.status;
    return changed(span, {
      name: maskText(span.name, tally),
      resource: resources(span.resource),
      attributes: attributes(span.attributes),
      events: span.events.length === 0 ? span.events : events(span.events),
      status: message === null ? span.status : changed(span.status, { message: maskText(message, tally) }),
    });
  });
  return { ...batch, items, masked: tally.masked };
}

/** The record with these fields; the same one where they are as they were, which is what most are. */
function changed<Item extends object>(record: Item, fields: Partial<Item>): Item {
  for (const name in fields) if (fields[name] !== record[name]) return { ...record, ...fields };
  return record;
}

/** The same for log records, whose body may be a message too. */
export function maskLogs(batch: Decoded<LogRecord>, masking: Masking): Masked<LogRecord> {
  const { tally, attributes, resources } = masker(masking);
  const items = batch.items.map((log) => {
    const resource = resources(log.resource);
    if (log.eventName !== null && isMessageEvent(log.eventName) && !masking.messages) return changed(log, { resource });
    // The body of an event that repeats a call's attributes has their names.
    const { body } = log;
    const named = typeof body === "object" && body !== null && !Array.isArray(body);
    return changed(log, {
      resource,
      attributes: attributes(log.attributes),
      body: named ? (attributes(body) as AttributeValue) : maskValue(body, tally),
    });
  });
  return { ...batch, items, masked: tally.masked };
}

function masker({ messages }: Masking) {
  const tally: Tally = { masked: 0 };
  const attribute = (name: string, value: unknown) => maskAttribute(name, value as AttributeValue, { messages, tally });
  const attributes = (given: Attributes) => changedFields(given as Record<string, unknown>, attribute) as Attributes;
  // Shared by all the spans of a process, and counted once.
  const seen = new Map<Attributes, Attributes>();
  const resources = (given: Attributes) => {
    let masked = seen.get(given);
    if (!masked) {
      masked = attributes(given);
      seen.set(given, masked);
    }
    return masked;
  };
  return { tally, attributes, resources };
}

function maskAttribute(
  name: string,
  value: AttributeValue,
  { messages, tally }: Masking & { tally: Tally },
): AttributeValue | undefined {
  if (!messages && isMessageText(name)) return maskEnvelope(value, tally);
  const masked = maskField(name, value, tally);
  return masked !== value && typeof value === "string" && isIdentity(name) ? pseudonymOf(value) : masked;
}

/** An id that is a secret stays an id: two people's must not become one. */
const pseudonymOf = (id: string) =>
  `masked-${createHmac("sha256", derivedSecret("masking")).update(id).digest("hex").slice(0, 24)}`;

/** What of a request is its messages. Whatever else stands beside them in the same JSON is not. */
const CONVERSATION = new Set([
  "messages",
  "input",
  "contents",
  "prompt",
  "system",
  "system_instruction",
  "instructions",
]);
const isRequest = (body: object) =>
  ("messages" in body && Array.isArray(body.messages)) || ("model" in body && typeof body.model === "string");

/** Message text as it was sent; of a whole request in its place, the messages as they were sent. */
function maskEnvelope(value: AttributeValue, tally: Tally): AttributeValue {
  const beside = (body: object) =>
    changedFields(body as Record<string, unknown>, (name, inner) =>
      CONVERSATION.has(name) ? inner : maskAttribute(name, inner as AttributeValue, { messages: true, tally }),
    );
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return isRequest(value) ? (beside(value) as AttributeValue) : value;
  }
  if (typeof value !== "string" || !value.startsWith("{") || !namesSecret(value)) return value;
  try {
    const body = JSON.parse(value) as object;
    if (!isRequest(body)) return value;
    const masked = beside(body);
    return masked === body ? value : JSON.stringify(masked);
  } catch {
    return value;
  }
}
