import { createHash } from "node:crypto";
import { ADVICE_LABEL, ADVICE_PROMPT, ADVICE_VERSIONS } from "./advice";
import type { Planned } from "./plan";
import { diceOf } from "./random";
import type { Line } from "./script";
import { INSTRUCTIONS } from "./shop";

type Part = Record<string, unknown>;
type Message = { role: string; parts: Part[] };
type Value = string | number | readonly string[];
type Span = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startMs: number;
  endMs: number;
  error?: string | undefined;
  attributes: Record<string, Value>;
  events?: readonly { name: string; atMs: number; attributes: Record<string, Value> }[];
};

/** Approximate number of characters per English token. */
const CHARACTERS_PER_TOKEN = 4;
/** Tokens of the agent's tool definitions, which every call sends. */
const TOOL_TOKENS = 420;

/** Returns who answers, with the instructions and the managed prompt that they are from, if they are. */
function agentOf({ advicePrompt }: Planned) {
  if (advicePrompt === null) return { name: "support", instructions: INSTRUCTIONS, prompt: {}, labels: {} };
  return {
    name: "advice",
    instructions: ADVICE_VERSIONS[advicePrompt - 1] ?? "",
    prompt: { "gen_ai.prompt.name": ADVICE_PROMPT, "gen_ai.prompt.version": String(advicePrompt) },
    labels: { "tag.tags": [ADVICE_LABEL] },
  };
}

const tokensOf = (messages: readonly Message[]) => Math.ceil(JSON.stringify(messages).length / CHARACTERS_PER_TOKEN);
const text = (content: string): Part => ({ type: "text", content });

/**
 * Converts a conversation to its agent's spans, following OpenTelemetry's GenAI conventions: one trace per request of the
 * customer, with the agent's run, its model calls and its tool calls. Pure: ids are derived from `key` and the number.
 */
function spansOf(key: string, planned: Planned): Span[] {
  const { number, model, script, startedAt, userId, thumb } = planned;
  const agent = agentOf(planned);
  const dice = diceOf(number * 13 + 5);
  const id = (name: string, length: number) =>
    createHash("sha256").update(`${key} ${number} ${name}`).digest("hex").slice(0, length);
  const whose = { "gen_ai.conversation.id": `chat-${id("chat", 10)}`, "user.id": userId };
  const history: Message[] = [{ role: "system", parts: [text(agent.instructions)] }];
  const spans: Span[] = [];
  let now = startedAt;
  let turn = 0;
  let run: Span | undefined;

  const begin = () => {
    turn += 1;
    const traceId = id(`trace ${turn}`, 32);
    run = {
      traceId,
      spanId: id(`run ${turn}`, 16),
      name: `invoke_agent ${agent.name}`,
      startMs: now,
      endMs: now,
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": agent.name,
        ...agent.labels,
        ...whose,
      },
    };
    spans.push(run);
  };
  const child = (name: string, ms: number, attributes: Span["attributes"], error?: string): Span => {
    if (!run) throw new Error("A conversation begins with its customer.");
    const span: Span = {
      traceId: run.traceId,
      spanId: id(`span ${spans.length}`, 16),
      parentSpanId: run.spanId,
      name,
      startMs: now + 4,
      endMs: now + 4 + ms,
      attributes: { ...attributes, ...whose },
      error,
    };
    spans.push(span);
    now = span.endMs;
    run.endMs = now + 3;
    return span;
  };
  /** Adds a model call that answers with these parts. */
  const call = (output: Part[], finish: string) => {
    const answered = Math.ceil(JSON.stringify(output).length / CHARACTERS_PER_TOKEN);
    const answer: Message = { role: "assistant", parts: output };
    const span = child(`chat ${model.model}`, 380 + answered * model.msPerToken + dice.between(0, 420), {
      "gen_ai.operation.name": "chat",
      ...agent.prompt,
      "gen_ai.provider.name": model.provider,
      "gen_ai.request.model": model.model,
      "gen_ai.response.model": model.model,
      "gen_ai.response.id": `resp_${id(`response ${spans.length}`, 12)}`,
      "gen_ai.response.finish_reasons": [finish],
      "gen_ai.usage.input_tokens": TOOL_TOKENS + tokensOf(history),
      "gen_ai.usage.output_tokens": answered,
      "gen_ai.input.messages": JSON.stringify(history),
      "gen_ai.output.messages": JSON.stringify([{ ...answer, finish_reason: finish }]),
    });
    history.push(answer);
    return span;
  };
  const act = (line: Line) => {
    if ("user" in line) {
      if (turn > 0) now += dice.between(18, 95) * 1000;
      history.push({ role: "user", parts: [text(line.user)] });
      begin();
    } else if ("say" in line) {
      call([text(line.say)], line.finish ?? "stop");
    } else if ("tool" in line) {
      const callId = `call_${id(`call ${spans.length}`, 10)}`;
      call([{ type: "tool_call", id: callId, name: line.tool, arguments: line.args }], "tool_calls");
      child(
        `execute_tool ${line.tool}`,
        dice.between(60, 540),
        {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": line.tool,
          "gen_ai.tool.call.id": callId,
          "gen_ai.tool.call.arguments": JSON.stringify(line.args),
          "gen_ai.tool.call.result": line.result,
        },
        line.isError ? line.result : undefined,
      );
      history.push({ role: "tool", parts: [{ type: "tool_call_response", id: callId, response: line.result }] });
    } else {
      const { type, message } = line.refused;
      child(
        `chat ${model.model}`,
        dice.between(90, 260),
        {
          "gen_ai.operation.name": "chat",
          "gen_ai.provider.name": model.provider,
          "gen_ai.request.model": model.model,
          "gen_ai.input.messages": JSON.stringify(history),
          "error.type": type,
        },
        message,
      );
      now += 2_000;
    }
  };
  for (const line of script) act(line);
  const last = spans.findLast(({ name }) => name.startsWith("chat "));
  if (thumb !== null && last) {
    const attributes = {
      "gen_ai.evaluation.name": "user_feedback",
      "gen_ai.evaluation.score.label": `thumbs_${thumb}`,
    };
    last.events = [{ name: "gen_ai.evaluation.result", atMs: last.endMs, attributes }];
  }
  return spans;
}

const anyValue = (value: Value): object =>
  typeof value === "number"
    ? { intValue: value }
    : typeof value === "string"
      ? { stringValue: value }
      : { arrayValue: { values: value.map(anyValue) } };
const attributesOf = (values: Record<string, Value>) =>
  Object.entries(values).map(([key, value]) => ({ key, value: anyValue(value) }));
const nanos = (ms: number) => `${ms}000000`;

const CLIENT = 3;
const INTERNAL = 1;
const FAILED = 2;

const otlpSpan = ({ parentSpanId, startMs, endMs, error, attributes, events = [], ...span }: Span) => ({
  ...span,
  parentSpanId: parentSpanId ?? "",
  kind: span.name.startsWith("chat ") ? CLIENT : INTERNAL,
  startTimeUnixNano: nanos(startMs),
  endTimeUnixNano: nanos(endMs),
  status: error === undefined ? {} : { code: FAILED, message: error },
  attributes: attributesOf(attributes),
  events: events.map(({ name, atMs, attributes }) => ({
    name,
    timeUnixNano: nanos(atMs),
    attributes: attributesOf(attributes),
  })),
});

/**
 * Converts conversations to an OTLP/JSON request, as the shop's exporter would send it. `key` makes their ids unique to a
 * project.
 */
export function otlpOf(key: string, conversations: readonly Planned[]): Buffer {
  const resourceSpans = [...byRelease(conversations)].map(([release, some]) => ({
    resource: {
      attributes: attributesOf({
        "service.name": "shop-support",
        "service.version": release,
        "deployment.environment.name": "production",
      }),
    },
    scopeSpans: [
      {
        scope: { name: "shop.agent", version: release },
        spans: some.flatMap((one) => spansOf(key, one).map(otlpSpan)),
      },
    ],
  }));
  return Buffer.from(JSON.stringify({ resourceSpans }));
}

function byRelease(conversations: readonly Planned[]): Map<string, Planned[]> {
  const groups = new Map<string, Planned[]>();
  for (const one of conversations) {
    const group = groups.get(one.release);
    if (group) group.push(one);
    else groups.set(one.release, [one]);
  }
  return groups;
}
