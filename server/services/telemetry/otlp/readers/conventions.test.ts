import { describe, expect, test } from "vitest";
import { readSpan } from "../read-span";
import { CONVENTIONS, LOOK } from "../testing/conventions";
import { assemble, idOf, logsOf, NOW, spanOf, spansOf, transcriptOf } from "../testing/conversations";
import type { SentAttributes, SentSpan } from "../testing/encode-otlp";

const json = JSON.stringify;
/** The conversation that every client reports: a question, a tool call with its result, and the final response. */
const TOLD = [
  "system: Be brief.",
  "user: Weather?",
  'assistant: look({"at":"Oslo"})',
  "tool: rain",
  "assistant: It rains.",
];

test.each(CONVENTIONS)("%s", (_name, span) => {
  const conversation = assemble(spansOf([span]));
  expect(transcriptOf(conversation)).toEqual(TOLD);
  expect(conversation.modelCalls).toHaveLength(1);
  expect(conversation.messages[2]?.toolCalls).toEqual([{ id: "c1", ...LOOK }]);
  expect(conversation.messages[3]?.toolCallId).toBe("c1");
  expect(readSpan(spanOf(span.attributes ?? {}), []).unmapped).toEqual([]);
});

test("log records supply what the span lacks", () => {
  const span = spanOf({ "gen_ai.operation.name": "chat" });
  const logs = logsOf([
    { eventName: "gen_ai.system.message", body: { content: "Be brief." } },
    { eventName: "gen_ai.user.message", body: { content: "Weather?" } },
    {
      attributes: { "event.name": "gen_ai.assistant.message" },
      body: { tool_calls: [{ id: "c1", type: "function", function: LOOK }] },
    },
    { eventName: "gen_ai.tool.message", body: { content: "rain", id: "c1" } },
    {
      eventName: "gen_ai.choice",
      body: { index: 0, finish_reason: "stop", message: { role: "assistant", content: "It rains." } },
    },
  ]);
  for (const order of [logs, [...logs].reverse()]) {
    const conversation = assemble([span], order);
    expect(transcriptOf(conversation)).toEqual(TOLD);
    expect(conversation.modelCalls).toMatchObject([{ finishReasons: ["stop"] }]);
  }
});

test("Claude Code reports what was said on the span and in the log records of an interaction, and a tool once", () => {
  const of = (type: string, attributes: SentAttributes, span: SentSpan = {}): SentSpan => ({
    name: `claude_code.${type}`,
    attributes: { "span.type": type, "session.id": "s", ...attributes },
    ...span,
  });
  const look = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "Bash",
    "gen_ai.tool.call.id": "toolu_1",
  };
  const model = { "gen_ai.operation.name": "chat", model: "claude-haiku-4-5", input_tokens: 20, output_tokens: 9 };
  const sent = (prompt: string) =>
    spansOf([
      of("interaction", { "gen_ai.operation.name": "invoke_agent", user_prompt: prompt }),
      of("llm_request", model, { parentSpanId: idOf(1) }),
      of("tool", look, {
        parentSpanId: idOf(1),
        events: [{ name: "tool.output", at: NOW, attributes: { output: "rain", bash_command: "echo rain" } }],
      }),
      of("tool.execution", { "gen_ai.tool.call.id": "toolu_1", tool_use_id: "toolu_1" }, { parentSpanId: idOf(3) }),
      of("llm_request", model, { parentSpanId: idOf(1) }),
    ]);
  const logs = logsOf(
    ["Let me look.", "It rains."].map((response, n) => ({
      spanId: idOf(1),
      at: NOW + n,
      body: "claude_code.assistant_response",
      attributes: { "event.name": "assistant_response", response },
    })),
  );
  const conversation = assemble(sent("Weather?"), logs);
  expect(transcriptOf(conversation)).toEqual(["user: Weather?", "assistant: Let me look.", "assistant: It rains."]);
  expect(conversation.modelCalls).toHaveLength(2);
  expect(conversation.toolCalls).toMatchObject([{ name: "Bash", callId: "toolu_1", result: "rain" }]);
  expect(transcriptOf(assemble(sent("<REDACTED>"), []))).toEqual([]);
});

const said = (attributes: SentAttributes) =>
  assemble([spanOf({ "gen_ai.operation.name": "chat", ...attributes })]).messages;
const input = (messages: unknown) => said({ "gen_ai.input.messages": json(messages) });

describe("parts", () => {
  test("reasoning is separate from text", () => {
    const blocks = [
      { type: "thinking", thinking: "Hm." },
      { type: "text", text: "Yes." },
    ];
    for (const content of [blocks, [{ text: "Hm.", thought: true }, { text: "Yes." }]]) {
      expect(said({ "gen_ai.output.messages": json([{ role: "assistant", content }]) })[0]?.parts).toEqual([
        { type: "reasoning", text: "Hm." },
        { type: "text", text: "Yes." },
      ]);
    }
  });

  test("one response over several messages is one message", () => {
    const output = [
      { role: "assistant", content: [{ type: "reasoning", text: "Hm." }] },
      { role: "assistant", tool_calls: [{ id: "c1", function: LOOK }] },
      { role: "assistant", tool_calls: [{ id: "c2", function: LOOK }] },
    ];
    const messages = said({ "gen_ai.output.messages": json(output) });
    expect(messages.map((message) => message.toolCalls.map((call) => call.id))).toEqual([["c1", "c2"]]);
  });

  test("unknown parts are stored as sent", () => {
    const parts = [
      { type: "hologram", volume: { x: 1 } },
      { type: "image_url", image_url: { url: "https://example.com/a.png" } },
    ];
    expect(input([{ role: "user", content: parts }])[0]?.parts).toEqual(parts);
  });

  test("a user's own JSON is text", () => {
    for (const content of ['[{"text":"a","more":1,"and":2}]', '{"role":"user"}', '[{"type":"order"}]']) {
      expect(input([{ role: "user", content }])[0]?.parts).toEqual([{ type: "text", text: content }]);
    }
  });

  test("a response that is JSON is text", () => {
    const answer = '{"answer":"rain","messages":[]}';
    expect(said({ "ai.response.text": answer })[0]?.parts).toEqual([{ type: "text", text: answer }]);
  });

  test("a tool's failure is marked", () => {
    const messages = input([
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", is_error: true, content: "no" }] },
    ]);
    expect(messages).toMatchObject([
      { role: "tool", toolCallId: "c1", parts: [{ type: "text", text: "no", isError: true }] },
    ]);
  });

  test("unknown roles are kept", () => {
    expect(input([{ role: "narrator", content: "Later…" }])).toMatchObject([{ role: "narrator" }]);
  });

  test("NULs escaped inside JSON text are cleaned", () => {
    expect(input([{ role: "user", content: "a\0b\ud800" }])[0]?.parts[0]?.text).toBe("a\uFFFDb\uFFFD");
  });
});

describe("flattened attributes", () => {
  test("with huge indices are read", () => {
    const conversation = assemble([
      spanOf({
        "llm.input_messages.999999999.message.role": "user",
        "llm.input_messages.999999999.message.content": "far",
        "llm.input_messages.0.safe": "kept",
      }),
    ]);
    expect(transcriptOf(conversation)).toContain("user: far");
  });

  test("named __proto__ do not pollute the prototype", () => {
    const conversation = assemble([
      spanOf({
        "gen_ai.prompt.role": "user",
        "gen_ai.prompt.content": "hello",
        "gen_ai.prompt.__proto__.polluted": "yes",
      }),
    ]);
    expect(transcriptOf(conversation)).toEqual(["user: hello"]);
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });
});

describe("the type of a span", () => {
  test.each<[type: string, attributes: SentAttributes]>([
    ["llm", { "gen_ai.operation.name": "chat" }],
    ["embedding", { "gen_ai.operation.name": "embeddings" }],
    ["tool", { "gen_ai.operation.name": "execute_tool" }],
    ["agent", { "gen_ai.operation.name": "invoke_agent" }],
    ["chain", { "gen_ai.operation.name": "invoke_workflow" }],
    ["retriever", { "openinference.span.kind": "RETRIEVER" }],
    ["reranker", { "openinference.span.kind": "RERANKER" }],
    ["guardrail", { "openinference.span.kind": "GUARDRAIL" }],
    ["evaluator", { "langfuse.observation.type": "evaluator" }],
    ["llm", { "ai.operationId": "ai.streamText.doStream" }],
    ["agent", { "ai.operationId": "ai.streamText" }],
    ["embedding", { "ai.operationId": "ai.embedMany.doEmbed" }],
    ["chain", { "traceloop.span.kind": "workflow" }],
    ["llm", { "span.type": "llm_request" }],
    ["llm", { "lmnr.span.type": "LLM" }],
    ["agent", { "pydantic_ai.all_messages": "[]", "gen_ai.usage.input_tokens": 5 }],
    ["llm", { "gen_ai.operation.name": "something_new", "gen_ai.usage.input_tokens": 5 }],
    ["other", { "http.method": "POST" }],
    ["other", {}],
  ])("%s", (type, attributes) => {
    expect(readSpan(spanOf(attributes), []).type).toBe(type);
  });

  test("unmapped attributes are listed", () => {
    expect(
      readSpan(
        spanOf({ "gen_ai.request.model": "m", "my.own": 1, another: 2, "llm.tools.0.tool.json_schema": "{}" }),
        [],
      ).unmapped,
    ).toEqual(["another", "my.own"]);
  });
});

describe("a model call", () => {
  const call = (attributes: SentAttributes, span: SentSpan = {}) =>
    assemble([spanOf({ "gen_ai.operation.name": "chat", ...attributes }, span)]).modelCalls[0];

  test.each<[provider: string | null, attributes: SentAttributes]>([
    ["openai", { "gen_ai.system": "OpenAI" }],
    ["openai", { "ai.model.provider": "openai.chat" }],
    ["aws.bedrock", { "gen_ai.provider.name": "aws.bedrock" }],
    ["anthropic", { "llm.provider": "anthropic" }],
    ["openai", { "gen_ai.system": "strands-agents", "gen_ai.request.model": "openai/gpt-5-mini" }],
    ["anthropic", { model: "claude-opus-4-6" }],
    ["google", { "gen_ai.request.model": "models/gemini-2.5-pro" }],
    ["openai", { "langfuse.observation.model.name": "o4-mini-2025-04-16" }],
    [null, { "gen_ai.request.model": "constructor/unheard-of" }],
    [null, {}],
  ])("has the provider %s", (provider, attributes) => {
    expect(call(attributes)?.provider).toBe(provider);
  });

  test("has the requested model and the one that responded", () => {
    expect(call({ "gen_ai.request.model": "a", "gen_ai.response.model": "b" })).toMatchObject({
      requestedModel: "a",
      responseModel: "b",
    });
    expect(call({ "llm.invocation_parameters": '{"model":"a"}', "llm.model_name": "b" })).toMatchObject({
      requestedModel: "a",
      responseModel: "b",
    });
    expect(call({ "llm.model_name": "a" })).toMatchObject({ requestedModel: "a", responseModel: null });
    expect(call({ "langfuse.observation.model.name": "b" })).toMatchObject({
      requestedModel: null,
      responseModel: "b",
    });
    expect(call({ "langfuse.observation.model.name": "a" }, { status: { code: 2 } })).toMatchObject({
      requestedModel: "a",
      responseModel: null,
    });
    expect(call({ model: "claude-opus-4-6\u001b[1m" })?.requestedModel).toBe("claude-opus-4-6");
  });

  test.each<[sent: SentAttributes, reasons: string[]]>([
    [{ "gen_ai.response.finish_reasons": ["stop"] }, ["stop"]],
    [{ "gen_ai.response.finish_reasons": '["STOP"]' }, ["stop"]],
    [{ "gen_ai.response.finish_reasons": "length" }, ["length"]],
    [{ "gen_ai.response.finish_reasons": { values: [{ stringValue: "stop" }] } }, ["stop"]],
    [{ "ai.response.finishReason": "tool-calls" }, ["tool_calls"]],
    [{ "gen_ai.completion.0.finish_reason": "tool_call" }, ["tool_calls"]],
    [{ "langfuse.observation.metadata.finish_reason": "stop" }, ["stop"]],
    [{ "langfuse.observation.metadata.finish_reason": '"tool_use"' }, ["tool_calls"]],
    [{ "langfuse.observation.metadata": json({ finish_reason: "length" }) }, ["length"]],
    [{ "anthropic.message.stop_reason": "tool_use" }, ["tool_calls"]],
    [{}, []],
  ])("has the finish reasons of %j", (sent, reasons) => {
    expect(call(sent)?.finishReasons).toEqual(reasons);
  });

  test("has the cost that the client reports, unless that is zero", () => {
    expect(call({ "gen_ai.usage.cost": 0.5 })?.reportedCost).toBe(0.5);
    expect(call({ "gen_ai.usage.cost": 0 })?.reportedCost).toBeNull();
    expect(call({ "langfuse.observation.cost_details": '{"input":0.25,"output":0.5}' })?.reportedCost).toBe(0.75);
    expect(call({ "langfuse.observation.cost_details": '{"input":0,"output":0,"total":0}' })?.reportedCost).toBeNull();
  });
});

describe("a tool's span", () => {
  const tool = (attributes: SentAttributes, span: SentSpan = {}) => assemble([spanOf(attributes, span)]).toolCalls[0];

  test.each<[name: string, span: SentSpan]>([
    [
      "OpenTelemetry GenAI",
      {
        attributes: {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": "look",
          "gen_ai.tool.call.id": "c1",
          "gen_ai.tool.call.arguments": { at: "Oslo" },
          "gen_ai.tool.call.result": "rain",
        },
      },
    ],
    [
      "generic input and output",
      {
        attributes: {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": "look",
          "gen_ai.tool.call.id": "c1",
          input: LOOK.arguments,
          output: "rain",
        },
      },
    ],
    [
      "AI SDK",
      {
        attributes: {
          "ai.operationId": "ai.toolCall",
          "ai.toolCall.name": "look",
          "ai.toolCall.id": "c1",
          "ai.toolCall.args": LOOK.arguments,
          "ai.toolCall.result": '"rain"',
        },
      },
    ],
    [
      "OpenInference",
      {
        attributes: {
          "openinference.span.kind": "TOOL",
          "tool.name": "look",
          "tool_call.id": "c1",
          "input.value": LOOK.arguments,
          "output.value": "rain",
        },
      },
    ],
    [
      "Langfuse with LangChain",
      {
        name: "look",
        attributes: {
          "langfuse.observation.type": "tool",
          "langfuse.observation.metadata.tool_call_id": '"c1"',
          "langfuse.observation.input": LOOK.arguments,
          "langfuse.observation.output": json({ type: "tool", content: "rain", tool_call_id: "c1" }),
        },
      },
    ],
    [
      "Strands, by events",
      {
        attributes: {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": "look",
          "gen_ai.tool.call.id": "c1",
        },
        events: [
          { name: "gen_ai.tool.message", at: NOW, attributes: { content: LOOK.arguments, id: "c1" } },
          { name: "gen_ai.choice", at: NOW, attributes: { message: json([{ text: "rain" }]), id: "c1" } },
        ],
      },
    ],
  ])("%s", (_name, span) => {
    expect(tool(span.attributes ?? {}, span)).toMatchObject({
      spanId: idOf(1),
      callId: "c1",
      ...LOOK,
      result: "rain",
      error: null,
    });
  });

  test("is named after its span if nothing else names it", () => {
    expect(tool({ "gen_ai.operation.name": "execute_tool" }, { name: "execute_tool look" })).toMatchObject({
      name: "look",
      callId: null,
      arguments: null,
    });
  });
});
