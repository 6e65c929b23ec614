import { createHmac } from "node:crypto";
import { parseExactJson } from "@/server/platform/json/exact-json";
import { derivedSecret } from "@/server/platform/secrets";
import { isIdentity, isMessageEvent, isMessageText } from "../otlp/message-text";
import type { Attributes, AttributeValue, Decoded, LogRecord, SpanRecord } from "../otlp/types";
import { maskText, namesSecret, type Tally } from "./mask-text";
import { changedFields, changedItems, maskField, maskValue } from "./mask-value";

/** Whether a project also masks the text of its messages. */
export type Masking = { messages: boolean };
export type Masked<Item> = Decoded<Item> & { masked: number };

/**
 * Masks the secrets in a batch of spans before it is stored; `masked` counts them. Message text is masked only if the project
 * has enabled it.
 */
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

/** Returns the record with these fields, or the same object if none changed, which is the usual case. */
function changed<Item extends object>(record: Item, fields: Partial<Item>): Item {
  for (const name in fields) if (fields[name] !== record[name]) return { ...record, ...fields };
  return record;
}

/** Masks the secrets in a batch of log records, whose body may also be a message. */
export function maskLogs(batch: Decoded<LogRecord>, masking: Masking): Masked<LogRecord> {
  const { tally, attributes, resources } = masker(masking);
  const items = batch.items.map((log) => {
    const resource = resources(log.resource);
    if (log.eventName !== null && isMessageEvent(log.eventName) && !masking.messages) return changed(log, { resource });
    // An event that repeats a call's attributes has them, by name, in its body.
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
  // All spans of a process share one resource object, whose secrets count once.
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

/** Returns a pseudonym for an id that is a secret, so that different people's ids stay distinct. */
const pseudonymOf = (id: string) =>
  `masked-${createHmac("sha256", derivedSecret("masking")).update(id).digest("hex").slice(0, 24)}`;

/** Fields of a request that hold its messages; the other fields of the same JSON are not message text. */
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

/** Leaves message text as sent. If the attribute holds a whole request, masks everything but its messages. */
function maskEnvelope(value: AttributeValue, tally: Tally): AttributeValue {
  const maskRest = (body: object) =>
    changedFields(body as Record<string, unknown>, (name, inner) =>
      CONVERSATION.has(name) ? inner : maskAttribute(name, inner as AttributeValue, { messages: true, tally }),
    );
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return isRequest(value) ? (maskRest(value) as AttributeValue) : value;
  }
  if (typeof value !== "string" || !value.startsWith("{") || !namesSecret(value)) return value;
  try {
    const body = parseExactJson(value) as object;
    if (!isRequest(body)) return value;
    const masked = maskRest(body);
    return masked === body ? value : JSON.stringify(masked);
  } catch {
    return value;
  }
}
