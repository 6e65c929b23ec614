import { describe, expect, test } from "vitest";
import { readSpan } from "../read-span";
import { assemble, idOf, logsOf, NOW, spanOf, spansOf, transcriptOf } from "../testing/conversations";
import type { SentAttributes, SentSpan } from "../testing/encode-otlp";

const json = JSON.stringify;
const LOOK = { name: "look", arguments: '{"at":"Oslo"}' };
/** The conversation that every client below reports: a question, a tool call with its result, and the final response. */
const TOLD = [
  "system: Be brief.",
  "user: Weather?",
  'assistant: look({"at":"Oslo"})',
  "tool: rain",
  "assistant: It rains.",
];

const flat = (prefix: string, messages: SentAttributes[]): SentAttributes =>
  Object.fromEntries(
    messages.flatMap((message, index) =>
      Object.entries(message).map(([name, value]) => [`${prefix}${index}.${name}`, value]),
    ),
  );

const CONVENTIONS: [name: string, span: SentSpan][] = [
  [
    "OpenTelemetry GenAI, JSON text",
    {
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.system_instructions": json([{ type: "text", content: "Be brief." }]),
        "gen_ai.input.messages": json([
          { role: "user", parts: [{ type: "text", content: "Weather?" }] },
          { role: "assistant", parts: [{ type: "tool_call", id: "c1", name: "look", arguments: { at: "Oslo" } }] },
          { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "rain" }] },
        ]),
        "gen_ai.output.messages": json([
          { role: "assistant", parts: [{ type: "text", content: "It rains." }], finish_reason: "stop" },
        ]),
      },
    },
  ],
  [
    "OpenTelemetry GenAI, structured, system prompt twice",
    {
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.system_instructions": [{ type: "text", content: "Be brief." }],
        "gen_ai.input.messages": [
          { role: "system", parts: [{ type: "text", content: "Be brief." }] },
          { role: "user", parts: [{ type: "text", content: "Weather?" }] },
          { role: "assistant", parts: [{ type: "tool_call", id: "c1", name: "look", arguments: { at: "Oslo" } }] },
          { role: "user", parts: [{ type: "tool_call_response", id: "c1", result: "rain" }] },
        ],
        "gen_ai.output.messages": "It rains.",
      },
    },
  ],
  [
    "OpenLLMetry, flattened",
    {
      attributes: {
        "llm.request.type": "chat",
        ...flat("gen_ai.prompt.", [
          { role: "system", content: "Be brief." },
          { role: "user", content: "Weather?" },
          {
            role: "assistant",
            "tool_calls.0.id": "c1",
            "tool_calls.0.name": "look",
            "tool_calls.0.arguments": LOOK.arguments,
          },
          { role: "tool", content: "rain", tool_call_id: "c1" },
        ]),
        ...flat("gen_ai.completion.", [{ role: "assistant", content: "It rains.", finish_reason: "stop" }]),
      },
    },
  ],
  [
    "OpenLLMetry, one JSON text, OpenAI's shape",
    {
      attributes: {
        "llm.request.type": "completion",
        "gen_ai.prompt": json([
          { role: "developer", content: "Be brief." },
          { role: "user", content: "Weather?" },
          { role: "assistant", content: null, tool_calls: [{ id: "c1", type: "function", function: LOOK }] },
          { role: "tool", content: "rain", tool_call_id: "c1" },
        ]),
        "gen_ai.completion": json({ text: "It rains.", finish_reason: "stop" }),
      },
    },
  ],
  [
    "OpenInference, flattened",
    {
      attributes: {
        "openinference.span.kind": "LLM",
        ...flat("llm.input_messages.", [
          {
            "message.role": "system",
            "message.contents.0.message_content.type": "text",
            "message.contents.0.message_content.text": "Be brief.",
          },
          { "message.role": "user", "message.content": "Weather?" },
          {
            "message.role": "assistant",
            "message.tool_calls.0.tool_call.id": "c1",
            "message.tool_calls.0.tool_call.function.name": "look",
            "message.tool_calls.0.tool_call.function.arguments": LOOK.arguments,
            "message.contents.0.message_content.type": "tool_use",
            "message.contents.0.tool_call.id": "c1",
            "message.contents.0.tool_call.function.name": "look",
            "message.contents.0.tool_call.function.arguments": LOOK.arguments,
          },
          { "message.role": "tool", "message.content": "rain", "message.tool_call_id": "c1" },
        ]),
        ...flat("llm.output_messages.", [{ "message.role": "assistant", "message.content": "It rains." }]),
      },
    },
  ],
  [
    "OpenInference, request and response of OpenAI's responses API",
    {
      attributes: {
        "openinference.span.kind": "LLM",
        "input.value": json({
          model: "o4-mini",
          instructions: "Be brief.",
          input: [
            { role: "user", content: "Weather?" },
            { type: "function_call", call_id: "c1", ...LOOK },
            { type: "function_call_output", call_id: "c1", output: "rain" },
          ],
        }),
        "output.value": json({
          id: "r1",
          output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "It rains." }] }],
        }),
      },
    },
  ],
  [
    "AI SDK",
    {
      attributes: {
        "ai.operationId": "ai.generateText.doGenerate",
        "ai.prompt.messages": json([
          { role: "system", content: "Be brief." },
          { role: "user", content: [{ type: "text", text: "Weather?" }] },
          {
            role: "assistant",
            content: [{ type: "tool-call", toolCallId: "c1", toolName: "look", input: { at: "Oslo" } }],
          },
          {
            role: "tool",
            content: [
              { type: "tool-result", toolCallId: "c1", toolName: "look", output: { type: "text", value: "rain" } },
            ],
          },
        ]),
        "ai.response.text": "It rains.",
      },
    },
  ],
  [
    "Anthropic's content blocks",
    {
      attributes: {
        "langfuse.observation.type": "generation",
        "langfuse.observation.input": json({
          system: [{ type: "text", text: "Be brief." }],
          messages: [
            { role: "user", content: "Weather?" },
            { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "look", input: { at: "Oslo" } }] },
            {
              role: "user",
              content: [{ type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "rain" }] }],
            },
          ],
        }),
        "langfuse.observation.output": json({ role: "assistant", content: "It rains." }),
      },
    },
  ],
  [
    "LangChain, through Langfuse with the tools' definitions among the messages",
    {
      attributes: {
        "langfuse.observation.type": "generation",
        "langfuse.observation.input": json([
          { role: "system", content: "Be brief." },
          { type: "human", content: "Weather?" },
          {
            type: "ai",
            content: "",
            tool_calls: [{ name: "look", args: { at: "Oslo" }, id: "c1", type: "tool_call" }],
          },
          { type: "tool", content: "rain", tool_call_id: "c1" },
          { role: "tool", content: { type: "function", function: { name: "look" } } },
        ]),
        "langfuse.observation.output": json({
          generations: [
            [
              {
                text: "It rains.",
                message: {
                  lc: 1,
                  type: "constructor",
                  id: ["AIMessage"],
                  kwargs: { content: "It rains.", type: "ai" },
                },
              },
            ],
          ],
        }),
      },
    },
  ],
  [
    "Gemini",
    {
      attributes: {
        "gen_ai.operation.name": "generate_content",
        "gcp.vertex.agent.llm_request": json({
          model: "gemini-2.5-flash",
          config: { system_instruction: "Be brief." },
          contents: [
            { role: "user", parts: [{ text: "Weather?" }] },
            { role: "model", parts: [{ functionCall: { id: "c1", name: "look", args: { at: "Oslo" } } }] },
            { role: "user", parts: [{ functionResponse: { id: "c1", name: "look", response: "rain" } }] },
          ],
        }),
        "gcp.vertex.agent.llm_response": json({ content: { role: "model", parts: [{ text: "It rains." }] } }),
      },
    },
  ],
  [
    "Genkit",
    {
      attributes: {
        "genkit:metadata:subtype": "model",
        "genkit:name": "openai/gpt-5",
        "genkit:input": json({
          messages: [
            { role: "system", content: [{ text: "Be brief." }] },
            { role: "user", content: [{ text: "Weather?" }] },
            { role: "model", content: [{ toolRequest: { ref: "c1", name: "look", input: { at: "Oslo" } } }] },
            { role: "tool", content: [{ toolResponse: { ref: "c1", name: "look", output: "rain" } }] },
          ],
        }),
        "genkit:output": json({ message: { role: "model", content: [{ text: "It rains." }] } }),
      },
    },
  ],
  [
    "Strands: events with JSON text",
    {
      attributes: { "gen_ai.operation.name": "chat", "gen_ai.system": "strands-agents" },
      events: [
        { name: "gen_ai.system.message", at: NOW, attributes: { content: json([{ text: "Be brief." }]) } },
        { name: "gen_ai.user.message", at: NOW, attributes: { content: json([{ text: "Weather?" }]) } },
        {
          name: "gen_ai.assistant.message",
          at: NOW,
          attributes: { content: json([{ toolUse: { toolUseId: "c1", name: "look", input: { at: "Oslo" } } }]) },
        },
        {
          name: "gen_ai.tool.message",
          at: NOW,
          attributes: { content: json([{ toolResult: { toolUseId: "c1", content: [{ text: "rain" }] } }]) },
        },
        {
          name: "gen_ai.choice",
          at: NOW + 1,
          attributes: { finish_reason: "end_turn", message: json([{ text: "It rains." }]) },
        },
      ],
    },
  ],
  [
    "the details event",
    {
      attributes: { "gen_ai.operation.name": "chat" },
      events: [
        {
          name: "gen_ai.client.inference.operation.details",
          at: NOW,
          attributes: {
            "gen_ai.system_instructions": "Be brief.",
            "gen_ai.input.messages": json([
              { role: "user", content: "Weather?" },
              { role: "assistant", tool_calls: [{ id: "c1", function: LOOK }] },
              { role: "tool", tool_call_id: "c1", content: "rain" },
            ]),
            "gen_ai.output.messages": json([{ role: "assistant", content: "It rains." }]),
          },
        },
      ],
    },
  ],
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
  test("of huge indices cost nothing", () => {
    const conversation = assemble([
      spanOf({
        "llm.input_messages.999999999.message.role": "user",
        "llm.input_messages.999999999.message.content": "far",
        "llm.input_messages.0.safe": "kept",
      }),
    ]);
    expect(transcriptOf(conversation)).toContain("user: far");
  });

  test("named __proto__ pollute nothing", () => {
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
  ])("is of %s", (provider, attributes) => {
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
  ])("stops for %j", (sent, reasons) => {
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
