import { IdentityFold } from "../identity/identity";
import { LabelFold } from "../labels";
import { TraitFold } from "../traits";
import type { AssembledConversation, LogRecord, SpanRecord } from "../types";
import { byTime, putInOrder } from "./by-time";
import { exchangesOf } from "./exchanges";
import { BYTES_PER_CHARACTER, InternedMessages } from "./interned-messages";
import { type JoinedCall, joinCalls } from "./join-calls";
import { ModelCalls, toMs } from "./model-call";
import { rebuildMessages } from "./rebuild-messages";
import { sentFeedback } from "./sent-feedback";
import { readFacts, type SpanFacts } from "./span-facts";
import { SpanTree } from "./span-tree";
import { IN_MEMORY, type TextStore } from "./text-store";
import { joinToolCalls, ToolCallMemo } from "./tool-calls";

/**
 * Assembles a conversation from its spans. Spans are added one at a time, in any order, and only compact facts are retained,
 * so that a large conversation can be read from storage in pages.
 */
export type Assembler = {
  /**
   * Adds a span with all log records that refer to it, in order of arrival (which breaks ties in time). Add a span again when
   * more log records refer to it; without new ones, that has no effect.
   */
  add(span: SpanRecord, logs: readonly LogRecord[]): void;
  /**
   * Returns the conversation of the spans added so far, independent of their order. More spans may be added afterwards; calls
   * and message parts that they do not change are then returned as the same objects.
   */
  finish(): AssembledConversation;
  /** Estimates the memory that the facts and messages take, in bytes. */
  bytes(): number;
};

/** Objects and map entries of a span, excluding its text. */
const BYTES_PER_SPAN = 600;

/**
 * With a store other than memory, the texts of messages, and the arguments and results of tool calls, are returned as its
 * references.
 */
export function createAssembler(texts: TextStore = IN_MEMORY): Assembler {
  const interned = new InternedMessages(texts);
  const identity = new IdentityFold();
  const labels = new LabelFold();
  const traits = new TraitFold();
  const facts = new Map<string, SpanFacts>();
  const modelCalls = new ModelCalls();
  const toolCallMemo = new ToolCallMemo(texts);
  let unmeasured: SpanFacts[] = [];
  let factBytes = 0;
  let firstUs = Number.POSITIVE_INFINITY;
  let lastUs = 0;
  return {
    add(span, logs) {
      const id = `${span.traceId}/${span.spanId}`;
      const read = readFacts(span, logs, interned, texts);
      facts.set(id, read);
      unmeasured.push(read);
      identity.addSpan(span);
      labels.addSpan(span);
      traits.addSpan(span);
      firstUs = Math.min(firstUs, span.startedUs);
      lastUs = Math.max(lastUs, span.endedUs);
      for (const log of logs) {
        identity.addLog(log);
        lastUs = Math.max(lastUs, log.timeUs);
      }
    },
    finish() {
      const all = [...facts.values()];
      const tree = new SpanTree(all);
      const spans = putInOrder(all, tree);
      const calls = joinCalls(spans, tree);
      const messages = rebuildMessages(exchangesOf(spans, calls, tree), interned);
      const { toolCalls, failedByResult } = joinToolCalls(spans, tree, messages, toolCallMemo);
      return {
        messages,
        modelCalls: modelCallsOf(calls, modelCalls, tree),
        toolCalls,
        errorCount: failedSpans(spans, calls, tree) + failedByResult,
        feedback: sentFeedback(spans),
        userId: identity.identity().userId,
        labels: labels.labels(),
        ...traits.traits(),
        startedAt: Number.isFinite(firstUs) ? toMs(firstUs) : 0,
        lastActivityAt: toMs(lastUs),
      };
    },
    bytes() {
      for (const span of unmeasured) factBytes += BYTES_PER_CHARACTER * JSON.stringify(span).length + BYTES_PER_SPAN;
      unmeasured = [];
      return factBytes + interned.bytes + modelCalls.bytes + toolCallMemo.bytes;
    },
  };
}

function modelCallsOf(
  calls: readonly JoinedCall[],
  modelCalls: ModelCalls,
  tree: SpanTree,
): AssembledConversation["modelCalls"] {
  // As clients hand a prompt down to every span inside the one that they set it on.
  const withPrompt = tree.finderAbove(({ prompt }) => prompt !== null);
  return [...calls]
    .sort((one, other) => byTime(one.spans[0] as SpanFacts, other.spans[0] as SpanFacts))
    .map((call) => modelCalls.of(call, withPrompt))
    .filter((call) => call !== null);
}

/** Counts failed spans, except those that only propagate a descendant's error; spans of one call count once. */
function failedSpans(spans: readonly SpanFacts[], calls: readonly JoinedCall[], tree: SpanTree): number {
  const failed = spans.filter((span) => span.error !== null);
  if (failed.length === 0) return 0;
  const propagating = tree.allAbove(failed);
  const failing = failed.filter((span) => !propagating.has(span));
  const repeating = new Set<SpanFacts>(
    calls.flatMap((call) => call.spans.filter((span) => span.error !== null && !propagating.has(span)).slice(1)),
  );
  return failing.filter((span) => !repeating.has(span)).length;
}
