import type { UnpricedModelCall } from "../types";
import type { JoinedCall } from "./join-calls";

/** A call as we show it: what its first span leaves out is taken from the others. */
export function modelCallOf({ spans }: JoinedCall): UnpricedModelCall | null {
  const [first] = spans;
  if (!first) return null;
  const calls = spans.map((span) => span.call);
  const withUsage = calls.find((call) => call.usage !== null) ?? first.call;
  return {
    type: first.type === "embedding" ? "embedding" : "llm",
    spanId: first.spanId,
    traceId: first.traceId,
    name: first.name,
    provider: firstKnown(calls, (call) => call.provider),
    requestedModel: firstKnown(calls, (call) => call.requestedModel),
    responseModel: firstKnown(calls, (call) => call.responseModel),
    responseId: firstKnown(calls, (call) => call.responseId),
    usage: withUsage.usage,
    rawUsage: withUsage.rawUsage,
    usageRule: withUsage.usageRule,
    finishReasons: calls.find((call) => call.finishReasons.length > 0)?.finishReasons ?? [],
    startedAt: toMs(first.startedUs),
    endedAt: toMs(first.endedUs),
    status: first.error === null ? "ok" : "error",
    error: first.error,
    reportedCost: firstKnown(calls, (call) => call.reportedCost),
  };
}

function firstKnown<Item, Value>(items: readonly Item[], read: (item: Item) => Value | null): Value | null {
  for (const item of items) {
    const value = read(item);
    if (value !== null) return value;
  }
  return null;
}

/** Microseconds → whole milliseconds. */
export const toMs = (micros: number): number => Math.floor(micros / 1000);
