import { reportsFailure } from "@/server/platform/tool-failure/read-tool-failure";
import type { Message } from "../../schemas";
import type { ToolFacts } from "../readers/tool";
import type { AssembledConversation } from "../types";
import { byTime } from "./by-time";
import { toMs } from "./model-call";
import type { SpanFacts } from "./span-facts";
import type { SpanTree } from "./span-tree";

type ToolSpan = SpanFacts & { tool: ToolFacts };
type ToolCalls = Pick<AssembledConversation, "toolCalls" | "toolCallCount"> & {
  /** Calls without a failed span whose result reports a failure: flagged by the client, or with the certainty of a Finding. */
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

/** Joins tool spans with the tool calls and results in messages: by id, otherwise by name in order. */
export function joinToolCalls(spans: readonly SpanFacts[], tree: SpanTree, messages: readonly Message[]): ToolCalls {
  const toolSpans = spans
    .filter(isTool)
    .filter((span) => !isRunInside(span, tree))
    .sort(byTime);
  const requested = new RequestedCalls(messages);
  for (const { tool } of toolSpans) requested.takeById(tool.callId);
  const failed = spans.filter((span) => span.error !== null);
  const failedBySpans = new Set<SpanFacts>([...failed, ...tree.allAbove(failed)]);
  const toolCalls: ToolCalls["toolCalls"] = [];
  let failedByResult = 0;
  for (const span of toolSpans) {
    const call = span.tool.callId === null ? requested.takeByName(span.tool.name) : requested.byId(span.tool.callId);
    const toolResult = call?.toolResult ?? requested.resultOf(span.tool.callId);
    const result = span.tool.result ?? toolResult?.text ?? null;
    if (!failedBySpans.has(span) && (toolResult?.flagged || (result !== null && reportsFailure(result))))
      failedByResult++;
    toolCalls.push({
      traceId: span.traceId,
      spanId: span.spanId,
      callId: span.tool.callId ?? call?.id ?? null,
      name: span.tool.name,
      arguments: span.tool.arguments ?? call?.arguments ?? null,
      result,
      error: span.error,
      startedAt: toMs(span.startedUs),
      endedAt: toMs(span.endedUs),
    });
  }
  const spanless = requested.withoutSpan();
  const unrequested = requested.unrequestedResults(toolSpans);
  const toolResults = [...spanless.flatMap(({ toolResult }) => toolResult ?? []), ...unrequested];
  failedByResult += toolResults.filter(({ text, flagged }) => flagged || reportsFailure(text)).length;
  return { toolCalls, toolCallCount: toolCalls.length + spanless.length, failedByResult };
}

/** Whether the span repeats its parent: a tool run reported by the framework and by a decorator inside it. */
function isRunInside(span: ToolSpan, tree: SpanTree): boolean {
  const parent = tree.parentOf(span);
  return parent !== undefined && isTool(parent) && parent.tool.name === span.tool.name;
}

class RequestedCalls {
  private readonly ids = new Map<string, RequestedCall>();
  private readonly names = new Map<string, RequestedCall[]>();
  private readonly all: RequestedCall[] = [];
  private readonly toolResults: ToolResult[] = [];
  private readonly resultsById = new Map<string, ToolResult>();

  constructor(messages: readonly Message[]) {
    for (const message of messages) {
      if (message.role !== "tool") continue;
      const flagged = message.parts.some((part) => part.isError === true);
      const toolResult = { callId: message.toolCallId, text: textOf(message), flagged };
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
    const pending = this.names.get(name);
    while (pending && pending.length > 0) {
      const call = pending.shift();
      if (!call || call.hasSpan) continue;
      call.hasSpan = true;
      return call;
    }
    return undefined;
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
    const sameName = this.names.get(requested.name);
    if (sameName) sameName.push(requested);
    else this.names.set(requested.name, [requested]);
  }
}

const textOf = (message: Message) => message.parts.map((part) => part.text ?? JSON.stringify(part)).join("\n");
