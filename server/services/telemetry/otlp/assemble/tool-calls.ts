import { reportsFailure } from "@/server/platform/tool-failure/read-tool-failure";
import type { Message } from "../../schemas";
import type { ToolFacts } from "../readers/tool";
import type { AssembledConversation } from "../types";
import { byTime } from "./by-time";
import { BYTES_PER_CHARACTER } from "./interned-messages";
import { toMs } from "./model-call";
import type { SpanFacts } from "./span-facts";
import type { SpanTree } from "./span-tree";
import type { TextStore } from "./text-store";

type ToolSpan = SpanFacts & { tool: ToolFacts };
type ToolCalls = Pick<AssembledConversation, "toolCalls" | "toolCallCount"> & {
  /**
   * Calls without a failed span whose result reports a failure: flagged by the client, or recognised with the confidence that a
   * Finding needs.
   */
  failedByResult: number;
};

const isTool = (span: SpanFacts): span is ToolSpan => span.tool !== null;

/** A tool call that a message requests, with its result. */
type RequestedCall = {
  id: string | null;
  name: string;
  arguments: string;
  toolResult: ToolResult | null;
  hasSpan: boolean;
};
type ToolResult = { callId: string | null; text: string; flagged: boolean };
type JoinedToolCall = ToolCalls["toolCalls"][number];

/**
 * Caches what a growing conversation need not recompute: the text of tool results, which of them report a failure, and calls.
 */
export class ToolCallMemo {
  private readonly results = new Map<Message["parts"], { text: string; flagged: boolean }>();
  private readonly failures = new Map<string, boolean>();
  private readonly calls = new Map<SpanFacts, JoinedToolCall>();
  /** Characters of the texts that are joined from several parts; a single part's text takes no extra memory. */
  private characters = 0;

  constructor(private readonly texts: TextStore) {}

  resultOf({ parts, toolCallId: callId }: Message): ToolResult {
    let read = this.results.get(parts);
    if (!read) {
      read = { text: textOf(parts), flagged: parts.some((part) => part.isError === true) };
      this.results.set(parts, read);
      if (parts.length > 1) this.characters += read.text.length;
    }
    return { callId, ...read };
  }

  reportsFailure(result: string): boolean {
    let failure = this.failures.get(result);
    if (failure === undefined) {
      failure = reportsFailure(this.texts.get(result));
      this.failures.set(result, failure);
    }
    return failure;
  }

  /** Returns a span's call: the cached one, unless a later message has changed it. */
  call(span: ToolSpan, call: Pick<JoinedToolCall, "callId" | "arguments" | "result">): JoinedToolCall {
    const before = this.calls.get(span);
    if (
      before &&
      before.callId === call.callId &&
      before.arguments === call.arguments &&
      before.result === call.result
    ) {
      return before;
    }
    const made = {
      traceId: span.traceId,
      spanId: span.spanId,
      callId: call.callId,
      name: span.tool.name,
      arguments: call.arguments,
      result: call.result,
      error: span.error,
      startedAt: toMs(span.startedUs),
      endedAt: toMs(span.endedUs),
    };
    this.calls.set(span, made);
    return made;
  }

  /** Estimates the memory that the cache takes, in bytes. */
  get bytes(): number {
    return BYTES_PER_CHARACTER * this.characters + BYTES_PER_ENTRY * (2 * this.results.size + this.calls.size);
  }
}

const BYTES_PER_ENTRY = 250;

/** Joins tool spans with the tool calls and results in messages: by id, otherwise by name in order. */
export function joinToolCalls(
  spans: readonly SpanFacts[],
  tree: SpanTree,
  messages: readonly Message[],
  memo: ToolCallMemo,
): ToolCalls {
  const toolSpans = withoutRepeats(
    spans
      .filter(isTool)
      .filter((span) => !isRunInside(span, tree))
      .sort(byTime),
  );
  const requested = new RequestedCalls(messages, memo);
  for (const { tool } of toolSpans) requested.takeById(tool.callId);
  const failed = spans.filter((span) => span.error !== null);
  const failedBySpans = new Set<SpanFacts>([...failed, ...tree.allAbove(failed)]);
  const toolCalls: ToolCalls["toolCalls"] = [];
  let failedByResult = 0;
  for (const span of toolSpans) {
    // A client may know a call's id in its span, but not in its messages.
    const call =
      span.tool.callId === null
        ? requested.takeByName(span.tool.name)
        : (requested.byId(span.tool.callId) ?? requested.takeUnidentified(span.tool.name));
    const toolResult = call?.toolResult ?? requested.resultOf(span.tool.callId);
    const result = span.tool.result ?? toolResult?.text ?? null;
    if (!failedBySpans.has(span) && (toolResult?.flagged || (result !== null && memo.reportsFailure(result))))
      failedByResult++;
    toolCalls.push(
      memo.call(span, {
        callId: span.tool.callId ?? call?.id ?? null,
        arguments: span.tool.arguments ?? call?.arguments ?? null,
        result,
      }),
    );
  }
  const spanless = requested.withoutSpan();
  const unrequested = requested.unrequestedResults(toolSpans);
  const toolResults = [...spanless.flatMap(({ toolResult }) => toolResult ?? []), ...unrequested];
  failedByResult += toolResults.filter(({ text, flagged }) => flagged || memo.reportsFailure(text)).length;
  return { toolCalls, toolCallCount: toolCalls.length + spanless.length, failedByResult };
}

/** Whether the span repeats its parent: a tool run reported by the framework and by a decorator inside it. */
function isRunInside(span: ToolSpan, tree: SpanTree): boolean {
  const parent = tree.parentOf(span);
  return parent !== undefined && isTool(parent) && parent.tool.name === span.tool.name;
}

function takeFirst(pending: RequestedCall[] | undefined): RequestedCall | undefined {
  while (pending && pending.length > 0) {
    const call = pending.shift();
    if (!call || call.hasSpan) continue;
    call.hasSpan = true;
    return call;
  }
  return undefined;
}

function addTo(lists: Map<string, RequestedCall[]>, call: RequestedCall): void {
  const sameName = lists.get(call.name);
  if (sameName) sameName.push(call);
  else lists.set(call.name, [call]);
}

/** Drops a span that repeats another under another id: one call with the same id, times, arguments and result. */
function withoutRepeats(toolSpans: readonly ToolSpan[]): ToolSpan[] {
  const known = new Set<string>();
  return toolSpans.filter(({ tool, startedUs, endedUs }) => {
    if (tool.callId === null) return true;
    const key = JSON.stringify([tool, startedUs, endedUs]);
    if (known.has(key)) return false;
    known.add(key);
    return true;
  });
}

class RequestedCalls {
  private readonly ids = new Map<string, RequestedCall>();
  private readonly names = new Map<string, RequestedCall[]>();
  private readonly unidentified = new Map<string, RequestedCall[]>();
  private readonly all: RequestedCall[] = [];
  private readonly toolResults: ToolResult[] = [];
  private readonly resultsById = new Map<string, ToolResult>();

  constructor(messages: readonly Message[], memo: ToolCallMemo) {
    for (const message of messages) {
      if (message.role !== "tool") continue;
      const toolResult = memo.resultOf(message);
      this.toolResults.push(toolResult);
      if (toolResult.callId !== null) this.resultsById.set(toolResult.callId, toolResult);
    }
    for (const message of messages) for (const call of message.toolCalls) this.add(call);
  }

  byId(id: string): RequestedCall | undefined {
    return this.ids.get(id);
  }

  resultOf(id: string | null): ToolResult | undefined {
    return id === null ? undefined : this.resultsById.get(id);
  }

  takeById(id: string | null): void {
    const call = id === null ? undefined : this.ids.get(id);
    if (call) call.hasSpan = true;
  }

  takeByName(name: string): RequestedCall | undefined {
    return takeFirst(this.names.get(name));
  }

  /** Takes the first call of this name that has no id. */
  takeUnidentified(name: string): RequestedCall | undefined {
    return takeFirst(this.unidentified.get(name));
  }

  withoutSpan(): RequestedCall[] {
    return this.all.filter((call) => !call.hasSpan);
  }

  /** Returns results of calls that no message requested. If there are tool spans, a result without an id may belong to any. */
  unrequestedResults(toolSpans: readonly ToolSpan[]): ToolResult[] {
    const known = new Set<string | null>(toolSpans.map(({ tool }) => tool.callId));
    if (toolSpans.length > 0) known.add(null);
    return this.toolResults.filter(({ callId }) => !known.has(callId) && (callId === null || !this.ids.has(callId)));
  }

  private add(call: { id: string | null; name: string; arguments: string }): void {
    if (call.id !== null && this.ids.has(call.id)) return;
    const requested = { ...call, toolResult: this.resultOf(call.id) ?? null, hasSpan: false };
    this.all.push(requested);
    if (requested.id !== null) this.ids.set(requested.id, requested);
    else addTo(this.unidentified, requested);
    addTo(this.names, requested);
  }
}

const textOf = (parts: Message["parts"]) => parts.map((part) => part.text ?? JSON.stringify(part)).join("\n");
