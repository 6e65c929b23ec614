import { reportsFailure } from "@/server/platform/tool-failure/read-tool-failure";
import type { Message, MessageToolCall } from "../../schemas";
import type { ToolFacts } from "../readers/tool";
import type { AssembledConversation, AssembledToolCall } from "../types";
import { byTime } from "./by-time";
import { BYTES_PER_CHARACTER } from "./interned-messages";
import { toMs } from "./model-call";
import type { TracedMessage } from "./rebuild-messages";
import type { SpanFacts } from "./span-facts";
import type { SpanTree } from "./span-tree";
import type { TextStore } from "./text-store";

type ToolSpan = SpanFacts & { tool: ToolFacts };
type ToolCalls = Pick<AssembledConversation, "toolCalls"> & {
  /**
   * Calls without a failed span whose result reports a failure: flagged by the client, or recognised with the confidence that a
   * Finding needs.
   */
  failedByResult: number;
};

const isTool = (span: SpanFacts): span is ToolSpan => span.tool !== null;

/** A tool call that a message requests, with its result. */
type RequestedCall = MessageToolCall & {
  /** The call as the message contains it. */
  call: MessageToolCall;
  message: TracedMessage;
  /** Which of the calls that messages of its span request, from 1. */
  requestNumber: number;
  toolResult: PlacedResult | null;
  hasSpan: boolean;
};
type ToolResult = { callId: string | null; text: string; flagged: boolean };
/** `at`: when its message was sent. */
type PlacedResult = ToolResult & { at: number };

/**
 * Caches what a growing conversation need not recompute: the text of tool results, which of them report a failure, and calls.
 */
export class ToolCallMemo {
  private readonly results = new Map<Message["parts"], { text: string; flagged: boolean }>();
  private readonly failures = new Map<string, boolean>();
  private readonly calls = new Map<SpanFacts | MessageToolCall, AssembledToolCall>();
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

  /** Returns all that a span says of its call, wherever its texts are kept. */
  meaningOf = (tool: ToolFacts): string => this.texts.get(JSON.stringify(tool));

  reportsFailure(result: string): boolean {
    let failure = this.failures.get(result);
    if (failure === undefined) {
      failure = reportsFailure(this.texts.get(result));
      this.failures.set(result, failure);
    }
    return failure;
  }

  /** Returns the call of a span or message: the cached object, unless a later message has changed it. */
  call(of: SpanFacts | MessageToolCall, call: AssembledToolCall): AssembledToolCall {
    const before = this.calls.get(of);
    if (before && isSameCall(before, call)) return before;
    this.calls.set(of, call);
    return call;
  }

  /** Estimates the memory that the cache takes, in bytes. */
  get bytes(): number {
    return BYTES_PER_CHARACTER * this.characters + BYTES_PER_ENTRY * (2 * this.results.size + this.calls.size);
  }
}

const BYTES_PER_ENTRY = 250;

const isSameCall = (one: AssembledToolCall, other: AssembledToolCall) =>
  (Object.keys(one) as (keyof AssembledToolCall)[]).every((field) => one[field] === other[field]);

/**
 * Joins tool spans with the tool calls and results in messages: by id, otherwise by name in order. Calls that no span reports
 * are added from the messages.
 */
export function joinToolCalls(
  spans: readonly SpanFacts[],
  tree: SpanTree,
  messages: readonly TracedMessage[],
  memo: ToolCallMemo,
): ToolCalls {
  const toolSpans = withoutRepeats(
    spans
      .filter(isTool)
      .filter((span) => !isRunInside(span, tree))
      .sort(byTime),
    memo,
  );
  const requested = new RequestedCalls(messages, memo);
  for (const { tool } of toolSpans) requested.takeById(tool.callId);
  const failed = spans.filter((span) => span.error !== null);
  const failedBySpans = new Set<SpanFacts>([...failed, ...tree.allAbove(failed)]);
  const toolCalls: AssembledToolCall[] = [];
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
    toolCalls.push(memo.call(span, callOfSpan(span, call, result)));
  }
  const spanless = requested.withoutSpan();
  const unrequested = requested.unrequestedResults(toolSpans);
  const toolResults = [...spanless.flatMap(({ toolResult }) => toolResult ?? []), ...unrequested];
  failedByResult += toolResults.filter(({ text, flagged }) => flagged || memo.reportsFailure(text)).length;
  for (const request of spanless) toolCalls.push(memo.call(request.call, callOfMessage(request)));
  if (spanless.length > 0) toolCalls.sort((one, other) => one.startedAt - other.startedAt);
  return { toolCalls, failedByResult };
}

const callOfSpan = (span: ToolSpan, call: RequestedCall | undefined, result: string | null): AssembledToolCall => ({
  traceId: span.traceId,
  spanId: span.spanId,
  requestNumber: 0,
  callId: span.tool.callId ?? call?.id ?? null,
  name: span.tool.name,
  arguments: span.tool.arguments ?? call?.arguments ?? null,
  result,
  error: span.error,
  startedAt: toMs(span.startedUs),
  endedAt: toMs(span.endedUs),
});

const callOfMessage = ({ message, requestNumber, call, toolResult }: RequestedCall): AssembledToolCall => ({
  traceId: message.traceId,
  spanId: message.spanId,
  requestNumber,
  callId: call.id,
  name: call.name,
  arguments: call.arguments,
  result: toolResult?.text ?? null,
  error: null,
  startedAt: message.at,
  endedAt: Math.max(message.at, toolResult?.at ?? message.at),
});

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
function withoutRepeats(toolSpans: readonly ToolSpan[], memo: ToolCallMemo): ToolSpan[] {
  const known = new Map<string, { first: ToolFacts; meanings?: Set<string> }>();
  return toolSpans.filter(({ tool, startedUs, endedUs }) => {
    if (tool.callId === null) return true;
    const key = JSON.stringify([tool.callId, tool.name, startedUs, endedUs]);
    const alike = known.get(key);
    if (!alike) {
      known.set(key, { first: tool });
      return true;
    }
    // Texts that are kept elsewhere are read only where there may be a repeat.
    alike.meanings ??= new Set([memo.meaningOf(alike.first)]);
    const size = alike.meanings.size;
    return alike.meanings.add(memo.meaningOf(tool)).size > size;
  });
}

class RequestedCalls {
  private readonly ids = new Map<string, RequestedCall>();
  private readonly names = new Map<string, RequestedCall[]>();
  private readonly unidentified = new Map<string, RequestedCall[]>();
  private readonly all: RequestedCall[] = [];
  private readonly toolResults: PlacedResult[] = [];
  private readonly resultsById = new Map<string, PlacedResult>();
  private readonly requestsOfSpan = new Map<string, number>();

  constructor(messages: readonly TracedMessage[], memo: ToolCallMemo) {
    for (const message of messages) {
      if (message.role !== "tool") continue;
      const toolResult = { ...memo.resultOf(message), at: message.at };
      this.toolResults.push(toolResult);
      if (toolResult.callId !== null) this.resultsById.set(toolResult.callId, toolResult);
    }
    for (const message of messages) for (const call of message.toolCalls) this.add(call, message);
  }

  byId(id: string): RequestedCall | undefined {
    return this.ids.get(id);
  }

  resultOf(id: string | null): PlacedResult | undefined {
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
  unrequestedResults(toolSpans: readonly ToolSpan[]): PlacedResult[] {
    const known = new Set<string | null>(toolSpans.map(({ tool }) => tool.callId));
    if (toolSpans.length > 0) known.add(null);
    return this.toolResults.filter(({ callId }) => !known.has(callId) && (callId === null || !this.ids.has(callId)));
  }

  private add(call: MessageToolCall, message: TracedMessage): void {
    const span = `${message.traceId} ${message.spanId}`;
    // A repeated request counts too, so that the others keep their numbers.
    const requestNumber = (this.requestsOfSpan.get(span) ?? 0) + 1;
    this.requestsOfSpan.set(span, requestNumber);
    if (call.id !== null && this.ids.has(call.id)) return;
    const toolResult = this.resultOf(call.id) ?? null;
    const requested = { ...call, call, message, requestNumber, toolResult, hasSpan: false };
    this.all.push(requested);
    if (requested.id !== null) this.ids.set(requested.id, requested);
    else addTo(this.unidentified, requested);
    addTo(this.names, requested);
  }
}

const textOf = (parts: Message["parts"]) => parts.map((part) => part.text ?? JSON.stringify(part)).join("\n");
