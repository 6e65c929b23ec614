import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { ModelDialect } from "./dialect";
import { errorBody, requireRefusal } from "./failure";
import type { Turn } from "./turn-memory";
import { createTurn } from "./turn-of-stream";
import { createdNow, finishReasonOf, newAnswerId } from "./write-answer";
import { writeUsage } from "./write-usage";

type StreamPart = LanguageModelV4StreamPart;
type Asked = {
  model: string;
  wantsUsage: boolean;
  dialect: ModelDialect;
  host: string;
  remember: (turn: Turn) => void;
};

const DONE = "data: [DONE]\n\n";
const eventOf = (json: object) => `data: ${JSON.stringify(json)}\n\n`;

/** Numbers the calls of tools, and knows which of them have begun and have sent arguments. */
function createCalls() {
  const calls = new Map<string, { index: number; hasArguments: boolean }>();
  const begin = (id: string) => {
    const call = { index: calls.size, hasArguments: false };
    calls.set(id, call);
    return call;
  };
  const delta = (index: number, more: object) => ({ tool_calls: [{ index, ...more }] });
  const begun = (id: string, name: string) =>
    delta(begin(id).index, { id, type: "function", function: { name, arguments: "" } });
  return {
    begun,
    continued(id: string, text: string) {
      const call = calls.get(id);
      if (!call || text === "") return [];
      call.hasArguments = true;
      return [delta(call.index, { function: { arguments: text } })];
    },
    /** Returns what has not been sent of a call when it is complete. */
    ended(id: string, name: string, input: string) {
      const start = calls.has(id) ? [] : [begun(id, name)];
      const call = calls.get(id);
      if (!call || call.hasArguments) return start;
      return [...start, delta(call.index, { function: { arguments: input || "{}" } })];
    },
  };
}

/** Yields a streamed answer as the events of a chat completion of the OpenAI API. It ends without `[DONE]` if the service's does. */
export async function* writeEvents(parts: AsyncIterable<StreamPart>, asked: Asked): AsyncGenerator<string> {
  const { wantsUsage, dialect, host, remember } = asked;
  const base = { id: "", object: "chat.completion.chunk", created: createdNow(), model: asked.model };
  const { turn, text, call } = createTurn();
  const calls = createCalls();
  const executed = new Set<string>();
  let [hasBegun, hasEnded] = [false, false];
  const chunk = (delta: object, reason: string | null = null) => {
    const more = wantsUsage ? { usage: null } : {};
    return eventOf({ ...base, choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }], ...more });
  };
  /** Says who speaks before anything else. */
  function* said(...deltas: object[]) {
    if (!hasBegun) {
      if (base.id === "") base.id = newAnswerId();
      yield chunk({ role: "assistant", content: "" });
      hasBegun = true;
    }
    for (const delta of deltas) yield chunk(delta);
  }
  for await (const part of parts) {
    // What comes after it is read so that its connection can be used again.
    if (hasEnded) continue;
    switch (part.type) {
      case "response-metadata":
        if (part.id !== undefined && !hasBegun) base.id = part.id;
        base.model = part.modelId ?? base.model;
        break;
      case "raw":
        base.model = dialect.answeredBy?.(part.rawValue) ?? base.model;
        break;
      case "text-start":
      case "text-delta":
      case "text-end":
        text("text", part);
        if (part.type === "text-delta" && part.delta !== "") yield* said({ content: part.delta });
        break;
      case "reasoning-start":
      case "reasoning-delta":
      case "reasoning-end":
        text("reasoning", part);
        if (part.type === "reasoning-delta" && part.delta !== "") yield* said({ reasoning_content: part.delta });
        break;
      case "tool-input-start":
        if (part.providerExecuted) executed.add(part.id);
        else yield* said(calls.begun(part.id, part.toolName));
        break;
      case "tool-input-delta":
        if (!executed.has(part.id)) yield* said(...calls.continued(part.id, part.delta));
        break;
      case "tool-call":
        if (part.providerExecuted) break;
        call(part);
        yield* said(...calls.ended(part.toolCallId, part.toolName, part.input));
        break;
      case "error":
        requireRefusal(part.error, host);
        hasEnded = true;
        yield eventOf(errorBody(part.error));
        break;
      case "finish": {
        if (part.finishReason.unified === "interrupted") return;
        hasEnded = true;
        remember(turn);
        yield* said();
        yield chunk({}, finishReasonOf(part.finishReason));
        const usage = wantsUsage ? writeUsage(part.usage, dialect) : null;
        if (usage !== null) yield eventOf({ ...base, choices: [], usage });
        yield DONE;
        break;
      }
      default:
      // Sources, files and what the service's own tools do have no place in a chat completion.
    }
  }
}
