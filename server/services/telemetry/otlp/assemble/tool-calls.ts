import type { Message } from "../../schemas";
import type { ToolFacts } from "../readers/tool";
import type { AssembledConversation } from "../types";
import { byTime } from "./join-calls";
import { toMs } from "./model-call";
import type { SpanFacts } from "./span-facts";
import type { SpanTree } from "./span-tree";

type ToolSpan = SpanFacts & { tool: ToolFacts };
type ToolCalls = Pick<AssembledConversation, "toolCalls" | "toolCallCount">;

const isTool = (span: SpanFacts): span is ToolSpan => span.tool !== null;

/** A tool call that a message asks for, and what was answered to it. */
type Asked = { id: string | null; name: string; arguments: string; result: string | null; hasSpan: boolean };

/** Joins the spans of tools with what messages say about the same calls: first by id, then by name, in order. */
export function joinToolCalls(spans: readonly SpanFacts[], tree: SpanTree, messages: readonly Message[]): ToolCalls {
  const toolSpans = spans
    .filter(isTool)
    .filter((span) => !isRunInside(span, tree))
    .sort(byTime);
  const asked = new AskedCalls(messages);
  for (const { tool } of toolSpans) asked.takeById(tool.callId);
  const toolCalls = toolSpans.map((span) => {
    const call = span.tool.callId === null ? asked.takeByName(span.tool.name) : asked.byId(span.tool.callId);
    return {
      traceId: span.traceId,
      spanId: span.spanId,
      callId: span.tool.callId ?? call?.id ?? null,
      name: span.tool.name,
      arguments: span.tool.arguments ?? call?.arguments ?? null,
      result: span.tool.result ?? call?.result ?? null,
      error: span.error,
      startedAt: toMs(span.startedUs),
      endedAt: toMs(span.endedUs),
    };
  });
  return { toolCalls, toolCallCount: toolCalls.length + asked.withoutSpan() };
}

/** One run of a tool, told by the framework and by a decorator of the tool inside it. */
function isRunInside(span: ToolSpan, tree: SpanTree): boolean {
  const parent = tree.parentOf(span);
  return parent !== undefined && isTool(parent) && parent.tool.name === span.tool.name;
}

class AskedCalls {
  private readonly ids = new Map<string, Asked>();
  private readonly names = new Map<string, Asked[]>();
  private readonly all: Asked[] = [];

  constructor(messages: readonly Message[]) {
    const answers = new Map<string, string>();
    for (const message of messages) {
      if (message.role === "tool" && message.toolCallId !== null) answers.set(message.toolCallId, textOf(message));
    }
    for (const message of messages) for (const call of message.toolCalls) this.add(call, answers);
  }

  byId(id: string): Asked | undefined {
    return this.ids.get(id);
  }

  takeById(id: string | null): void {
    const call = id === null ? undefined : this.ids.get(id);
    if (call) call.hasSpan = true;
  }

  takeByName(name: string): Asked | undefined {
    const waiting = this.names.get(name);
    while (waiting && waiting.length > 0) {
      const call = waiting.shift();
      if (!call || call.hasSpan) continue;
      call.hasSpan = true;
      return call;
    }
    return undefined;
  }

  withoutSpan(): number {
    return this.all.filter((call) => !call.hasSpan).length;
  }

  private add(
    call: { id: string | null; name: string; arguments: string },
    answers: ReadonlyMap<string, string>,
  ): void {
    if (call.id !== null && this.ids.has(call.id)) return;
    const asked = { ...call, result: call.id === null ? null : (answers.get(call.id) ?? null), hasSpan: false };
    this.all.push(asked);
    if (asked.id !== null) this.ids.set(asked.id, asked);
    const sameName = this.names.get(asked.name);
    if (sameName) sameName.push(asked);
    else this.names.set(asked.name, [asked]);
  }
}

const textOf = (message: Message) => message.parts.map((part) => part.text ?? JSON.stringify(part)).join("\n");
