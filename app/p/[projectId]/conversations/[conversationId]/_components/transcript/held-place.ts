import type { PlacedMessage } from "@/server/services/telemetry/schemas";

/** The content of a message, without its index, which is only its position. */
const identityOf = ({ role, spanId, toolCallId, parts, toolCalls }: PlacedMessage) =>
  JSON.stringify([role, spanId, toolCallId, parts, toolCalls]);

/**
 * Returns a message's current index: the same if nothing was added or removed before it, else that of the nearest equal
 * message among those loaded; `null` if there is none, or if the message at its old index is not loaded.
 */
export function indexNow(held: PlacedMessage, messages: ReadonlyMap<number, PlacedMessage>): number | null {
  const there = messages.get(held.index);
  if (there === held) return held.index;
  if (!there) return null;
  const identity = identityOf(held);
  if (identityOf(there) === identity) return held.index;
  const elsewhere = [...messages.values()]
    .filter((message) => message.role === held.role && message.spanId === held.spanId)
    .sort((a, b) => Math.abs(a.index - held.index) - Math.abs(b.index - held.index));
  return elsewhere.find((message) => identityOf(message) === identity)?.index ?? null;
}
