import type { Usage } from "@/server/services/pricing/schemas";
import { isOfKnownBucket } from "@/server/services/pricing/usage/schemas";
import type { PromptReference } from "../../schemas";
import type { UnpricedModelCall } from "../types";
import { sameTotals, saysUsage } from "./duplicate-spans";
import { type JoinedCall, timesOf } from "./join-calls";
import type { CallSpan, SpanFacts } from "./span-facts";

const BYTES_PER_CALL = 500;

type Made = { spans: readonly CallSpan[]; prompt: PromptReference | null; call: UnpricedModelCall | null };

/** The calls of a growing conversation. A call is rebuilt only if its spans have changed. */
export class ModelCalls {
  private readonly made = new Map<CallSpan, Made>();

  /** `withPrompt` returns the nearest span around another that names a managed prompt. */
  of(joined: JoinedCall, withPrompt: (span: SpanFacts) => SpanFacts | undefined): UnpricedModelCall | null {
    const [first] = joined.spans;
    if (!first) return null;
    const { prompt } = joined.spans.find((span) => span.prompt !== null) ?? withPrompt(first) ?? first;
    const made = this.made.get(first);
    if (
      made?.prompt === prompt &&
      made.spans.length === joined.spans.length &&
      made.spans.every((span, at) => span === joined.spans[at])
    )
      return made.call;
    const call = modelCallOf(joined, prompt);
    this.made.set(first, { spans: joined.spans, prompt, call });
    return call;
  }

  /** Estimates the memory that the calls take, in bytes. */
  get bytes(): number {
    return BYTES_PER_CALL * this.made.size;
  }
}

/** Returns a call in the API's form; what its first span lacks is taken from the others. */
function modelCallOf({ spans }: JoinedCall, prompt: PromptReference | null): UnpricedModelCall | null {
  const [first] = spans;
  if (!first) return null;
  const calls = spans.map((span) => span.call);
  const source = spans.find(saysUsage) ?? spans.find((span) => span.call.usage !== null) ?? first;
  const withUsage = source.call;
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
    usage: withUsage.usage && withDetails(withUsage.usage, source, spans),
    rawUsage: withUsage.rawUsage,
    usageRule: withUsage.usageRule,
    finishReasons: calls.find((call) => call.finishReasons.length > 0)?.finishReasons ?? [],
    startedAt: toMs(startedUs),
    endedAt: toMs(endedUs),
    status: first.error === null ? "ok" : "error",
    error: first.error,
    reportedCost: firstKnown(calls, (call) => call.reportedCost),
    prompt,
  };
}

/** Adds usage details that only a duplicate span has. Spans with other totals are skipped: a wrapper's usage covers several calls. */
function withDetails(usage: Usage, source: CallSpan, spans: readonly CallSpan[]): Usage {
  if (spans.length === 1) return usage;
  const all: Usage = Object.assign(Object.create(null), usage);
  for (const { call } of spans.filter((span) => sameTotals(source, span))) {
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

/** Converts microseconds to whole milliseconds. */
export const toMs = (micros: number): number => Math.floor(micros / 1000);
