import type { PromptReference, SpanError, SpanType } from "../../schemas";
import type { PlainMessage } from "../messages/plain-message";
import { resolveControlFlow, resolveError } from "../readers/error";
import { type FeedbackFacts, readFeedback } from "../readers/feedback";
import { resolveFinishReasons } from "../readers/finish-reasons";
import {
  firstMessages,
  INPUT_MESSAGES,
  INPUTS,
  OUTPUT_MESSAGES,
  OUTPUTS,
  SYSTEM_MESSAGES,
} from "../readers/input-output";
import { RESPONSE_ID, resolveModels } from "../readers/model";
import { PROMPT } from "../readers/prompt";
import { PROVIDER, resolveProvider } from "../readers/provider";
import { firstOf } from "../readers/reader";
import { resolveReportedCost } from "../readers/reported-cost";
import { resolveSpanType } from "../readers/span-type";
import type { SpanView } from "../readers/span-view";
import { STREAM_US } from "../readers/stream";
import { readTool, type ToolFacts } from "../readers/tool";
import { viewSpan } from "../readers/view-span";
import type { LogRecord, SpanRecord } from "../types";
import { type ResolvedUsage, resolveUsage } from "../usage/resolve-usage";
import type { InternedMessages } from "./interned-messages";
import { EMPTY_LIST, type ListId } from "./list-tree";
import type { TextStore } from "./text-store";

/** Facts about a model call from one of its spans. */
export type CallFacts = ResolvedUsage & {
  provider: string | null;
  requestedModel: string | null;
  responseModel: string | null;
  responseId: string | null;
  finishReasons: string[];
  reportedCost: number | null;
  /** Duration of the stream, on a span that a client creates when a streamed response ends. */
  streamUs: number | null;
};

/** Facts of a span that are retained; its attributes are not. */
export type SpanFacts = {
  traceId: string;
  spanId: string;
  parentSpanId: string | null;
  name: string;
  scopeName: string;
  startedUs: number;
  endedUs: number;
  arrival: number;
  /** Its position among the spans of the conversation, set when these are put in order. */
  order: number;
  type: SpanType;
  error: SpanError | null;
  call: CallFacts | null;
  tool: ToolFacts | null;
  feedback: readonly FeedbackFacts[];
  /** What it was made from, and what is inside it unless that says otherwise. */
  prompt: PromptReference | null;
  input: ListId;
  output: ListId;
};

/** A span of a model call. */
export type CallSpan = SpanFacts & { call: CallFacts };

export function readFacts(
  span: SpanRecord,
  logs: readonly LogRecord[],
  interned: InternedMessages,
  texts: TextStore,
): SpanFacts {
  const view = viewSpan(span, logs);
  const type = resolveSpanType(view);
  const error = resolveError(view);
  const { input, output } = readConversation(view, type, interned);
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    name: span.name,
    scopeName: span.scope.name,
    startedUs: span.startedUs,
    endedUs: span.endedUs,
    arrival: span.arrival,
    order: 0,
    type,
    error,
    call: type === "llm" || type === "embedding" ? readCall(view, error !== null) : null,
    tool: type === "tool" ? storedTool(readTool(view), texts) : null,
    feedback: readFeedback(view),
    prompt: firstOf(PROMPT, span.attributes) ?? null,
    input,
    output,
  };
}

const storedTool = (tool: ToolFacts, texts: TextStore): ToolFacts => ({
  ...tool,
  arguments: tool.arguments && texts.put(tool.arguments),
  result: tool.result && texts.put(tool.result),
});

function readCall(view: SpanView, failed: boolean): CallFacts {
  const { attributes } = view;
  const ending = resolveControlFlow(view);
  const { requestedModel, responseModel } = resolveModels(attributes, failed);
  const provider = resolveProvider(firstOf(PROVIDER, attributes), requestedModel ?? responseModel);
  return {
    provider,
    requestedModel,
    responseModel,
    responseId: firstOf(RESPONSE_ID, attributes) ?? null,
    ...resolveUsage(attributes, provider, failed || ending !== null),
    finishReasons: finishReasonsOf(view, ending),
    reportedCost: resolveReportedCost(view),
    streamUs: firstOf(STREAM_US, attributes) ?? null,
  };
}

/** Types whose input and output are messages if no span inside them has any. */
const WRAPPERS: ReadonlySet<SpanType> = new Set<SpanType>(["agent", "chain"]);

const ANY_INPUT = [...INPUT_MESSAGES, ...INPUTS];
const ANY_OUTPUT = [...OUTPUT_MESSAGES, ...OUTPUTS];

function readConversation(
  view: SpanView,
  type: SpanType,
  interned: InternedMessages,
): { input: ListId; output: ListId } {
  if (type === "llm" || WRAPPERS.has(type)) {
    const input = firstMessages(ANY_INPUT, view);
    const output = firstMessages(ANY_OUTPUT, view);
    const complete = withSystem(firstMessages(SYSTEM_MESSAGES, view), input);
    return { input: interned.list(complete), output: interned.list(withoutRepeat(complete, output)) };
  }
  if (type === "other") {
    return {
      input: interned.list(firstMessages(INPUT_MESSAGES, view)),
      output: interned.list(firstMessages(OUTPUT_MESSAGES, view)),
    };
  }
  return { input: EMPTY_LIST, output: EMPTY_LIST };
}

/** Prepends the system prompt unless the messages contain it (OpenLIT sends both). */
function withSystem(system: PlainMessage[], input: PlainMessage[]): PlainMessage[] {
  const texts = new Set(input.filter(({ role }) => role === "system").map(textsOf));
  return [...system.filter((message) => !texts.has(textsOf(message))), ...input];
}

/** Drops the output if it repeats the end of the input: an agent's "all messages" include its response. */
function withoutRepeat(input: PlainMessage[], output: PlainMessage[]): PlainMessage[] {
  const last = input.at(-1);
  return last?.role === "assistant" && output.length === 1 && output[0] && textsOf(output[0]) === textsOf(last)
    ? []
    : output;
}

const textsOf = (message: PlainMessage) =>
  message.parts
    .map((part) => part.text ?? "")
    .join("\n")
    .trim();

/** A call that was cancelled or interrupted has no reason of the model's; how it ended takes its place. */
function finishReasonsOf(view: SpanView, ending: string | null): string[] {
  const reasons = resolveFinishReasons(view);
  return reasons.length > 0 || ending === null ? reasons : [ending];
}
