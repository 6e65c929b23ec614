import type { Message } from "../schemas";

/** What windows are laid out by, without texts. `at` is Unix ms; `length` is in bytes. */
export type OutlineMessage = Pick<Message, "role" | "agent" | "spanId" | "at"> & { length: number };
export type OutlineCall = {
  kind: "model" | "tool";
  traceId: string;
  spanId: string;
  startedAt: number;
  length: number;
};
export type Outline = { messages: readonly OutlineMessage[]; calls: readonly OutlineCall[] };

/** A call with the index of the message that it belongs to. */
export type PlacedCall = Pick<OutlineCall, "kind" | "traceId" | "spanId" | "length"> & { index: number };

/**
 * Returns each call with the message that it belongs to: the last of its span, else the last one by the time it started; the
 * first or, if no message has a time, the last one if it lies outside.
 */
export function placeCalls({ messages, calls }: Outline): PlacedCall[] {
  const lastOfSpan = new Map<string, number>();
  /** Times of the messages, each at least that of the one before; messages before the first with a time have none. */
  const times: { at: number; index: number }[] = [];
  for (const [index, { spanId, at }] of messages.entries()) {
    if (spanId !== null) lastOfSpan.set(spanId, index);
    const before = times.at(-1)?.at;
    if (at !== null || before !== undefined) times.push({ at: Math.max(at ?? -Infinity, before ?? -Infinity), index });
  }
  const outside = times.length > 0 ? 0 : Math.max(0, messages.length - 1);
  return calls.map(({ kind, traceId, spanId, startedAt, length }) => ({
    ...{ kind, traceId, spanId, length },
    index: lastOfSpan.get(spanId) ?? times[lastUntil(times, startedAt)]?.index ?? outside,
  }));
}

/** Returns the index of the last entry that is not later, or -1. */
function lastUntil(times: readonly { at: number }[], at: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]!.at <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
