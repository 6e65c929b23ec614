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
  /** Calls that no span says failed, and whose answer does: flagged by the client, or as surely as a Finding needs. */
  failedByAnswer: number;
};

const isTool = (span: SpanFacts): span is ToolSpan => span.tool !== null;

/** A tool call that a message asks for, and what was answered to it. */
type Asked = { id: string | null; name: string; arguments: string; answer: Answer | null; hasSpan: boolean };
type Answer = { callId: string | null; text: string; flagged: boolean };

/** Joins the spans of tools with what messages say about the same calls: first by id, then by name, in order. */
export function joinToolCalls(spans: readonly SpanFacts[], tree: SpanTree, messages: readonly Message[]): ToolCalls {
  const toolSpans = spans
    .filter(isTool)
    .filter((span) => !isRunInside(span, tree))
    .sort(byTime);
  const asked = new AskedCalls(messages);
  for (const { tool } of toolSpans) asked.takeById(tool.callId);
  const failed = spans.filter((span) => span.error !== null);
  const toldBySpans = new Set<SpanFacts>([...failed, ...tree.allAbove(failed)]);
  const toolCalls: ToolCalls["toolCalls"] = [];
  let failedByAnswer = 0;
  for (const span of toolSpans) {
    const call = span.tool.callId === null ? asked.takeByName(span.tool.name) : asked.byId(span.tool.callId);
    const answer = call?.answer ?? asked.answerTo(span.tool.callId);
    const result = span.tool.result ?? answer?.text ?? null;
    if (!toldBySpans.has(span) && (answer?.flagged || (result !== null && reportsFailure(result)))) failedByAnswer++;
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
  const spanless = asked.withoutSpan();
  const unasked = asked.unaskedAnswers(toolSpans);
  const answers = [...spanless.flatMap(({ answer }) => answer ?? []), ...unasked];
  failedByAnswer += answers.filter(({ text, flagged }) => flagged || reportsFailure(text)).length;
  return { toolCalls, toolCallCount: toolCalls.length + spanless.length, failedByAnswer };
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
  private readonly answers: Answer[] = [];
  private readonly answersById = new Map<string, Answer>();

  constructor(messages: readonly Message[]) {
    for (const message of messages) {
      if (message.role !== "tool") continue;
      const flagged = message.parts.some((part) => part.isError === true);
      const answer = { callId: message.toolCallId, text: textOf(message), flagged };
      this.answers.push(answer);
      if (answer.callId !== null) this.answersById.set(answer.callId, answer);
    }
    for (const message of messages) for (const call of message.toolCalls) this.add(call);
  }

  byId(id: string): Asked | undefined {
    return this.ids.get(id);
  }

  answerTo(id: string | null): Answer | undefined {
    return id === null ? undefined : this.answersById.get(id);
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

  withoutSpan(): Asked[] {
    return this.all.filter((call) => !call.hasSpan);
  }

  /** Answers to what no message asked for. One without an id may be that of any span, where there are spans of tools. */
  unaskedAnswers(toolSpans: readonly ToolSpan[]): Answer[] {
    const known = new Set<string | null>(toolSpans.map(({ tool }) => tool.callId));
    if (toolSpans.length > 0) known.add(null);
    return this.answers.filter(({ callId }) => !known.has(callId) && (callId === null || !this.ids.has(callId)));
  }

  private add(call: { id: string | null; name: string; arguments: string }): void {
    if (call.id !== null && this.ids.has(call.id)) return;
    const asked = { ...call, answer: this.answerTo(call.id) ?? null, hasSpan: false };
    this.all.push(asked);
    if (asked.id !== null) this.ids.set(asked.id, asked);
    const sameName = this.names.get(asked.name);
    if (sameName) sameName.push(asked);
    else this.names.set(asked.name, [asked]);
  }
}

const textOf = (message: Message) => message.parts.map((part) => part.text ?? JSON.stringify(part)).join("\n");
