import type { Usage } from "@/server/services/pricing/schemas";
import { isOfKnownBucket } from "@/server/services/pricing/usage/schemas";
import type { UnpricedModelCall } from "../types";
import { sameTotals } from "./duplicate-spans";
import { type JoinedCall, timesOf } from "./join-calls";
import type { CallSpan } from "./span-facts";

/** A call as we show it: what its first span leaves out is taken from the others. */
export function modelCallOf({ spans }: JoinedCall): UnpricedModelCall | null {
  const [first] = spans;
  if (!first) return null;
  const calls = spans.map((span) => span.call);
  const telling = spans.find((span) => span.call.usage !== null) ?? first;
  const withUsage = telling.call;
  const { startedUs, endedUs } = timesOf(first, spans);
  return {
    type: first.type === "embedding" ? "embedding" : "llm",
    spanId: first.spanId,
    traceId: first.traceId,
    name: first.name,
    provider: firstKnown(calls, (call) => call.provider),
    requestedModel: firstKnown(calls, (call) => call.requestedModel),
    responseModel: firstKnown(calls, (call) => call.responseModel),
    responseId: firstKnown(calls, (call) => call.responseId),
    usage: withUsage.usage && withDetails(withUsage.usage, telling, spans),
    rawUsage: withUsage.rawUsage,
    usageRule: withUsage.usageRule,
    finishReasons: calls.find((call) => call.finishReasons.length > 0)?.finishReasons ?? [],
    startedAt: toMs(startedUs),
    endedAt: toMs(endedUs),
    status: first.error === null ? "ok" : "error",
    error: first.error,
    reportedCost: firstKnown(calls, (call) => call.reportedCost),
  };
}

/** Usage with the details that only a twin tells; a wrapper's are of other calls too. */
function withDetails(usage: Usage, telling: CallSpan, spans: readonly CallSpan[]): Usage {
  if (spans.length === 1) return usage;
  const all: Usage = Object.assign(Object.create(null), usage);
  for (const { call } of spans.filter((span) => sameTotals(telling, span))) {
    for (const [name, count] of Object.entries(call.usage ?? {})) {
      if (!isOfKnownBucket(name)) all[name] ??= count;
    }
  }
  return all;
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
