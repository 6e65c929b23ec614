import { expect, test } from "vitest";
import { resolveTraceIdentity } from ".";
import { decodeTraces } from "./decode/decode-traces";
import { assemble, idOf, spansOf, transcriptOf } from "./testing/conversations";
import type { SentAttributes } from "./testing/encode-otlp";
import { assembleReported, reportedBody } from "./testing/reports";

const CHAT = { "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-4o" };
const chat = (attributes: SentAttributes) => assemble(spansOf([{ attributes: { ...CHAT, ...attributes } }]));
const usageOf = (attributes: SentAttributes) => chat(attributes).modelCalls[0]?.usage;
const identitiesIn = (name: string) => {
  const traces = Map.groupBy(decodeTraces(reportedBody(name), "json").items, ({ traceId }) => traceId);
  return [...traces.values()].map((spans) => resolveTraceIdentity(spans, []).externalId);
};

test("a missing id that was sent as text joins no traces", () => {
  expect(identitiesIn("ids-that-are-none")).toEqual(Array.from({ length: 10 }, () => null));
});

test("LangSmith's threads are conversations; its session is a project", () => {
  expect(identitiesIn("langsmith-threads")).toEqual(["thread-clara", "thread-dora", "thread-clara"]);
});

test("LangSmith's kind of run decides what is a model call", () => {
  const { modelCalls, ...conversation } = assembleReported("langsmith-runs");
  expect(modelCalls).toMatchObject([{ name: "ChatOpenAI", usage: { input_tokens: 50, output_tokens: 4 } }]);
  expect(transcriptOf({ modelCalls, ...conversation })).toEqual([
    "system: Use: Refunds within 30 days.",
    "user: what is your refund policy?",
    "assistant: 30 days.",
  ]);
  for (const kind of ["prompt", "parser", "retriever", "chain", "tool"]) {
    expect(chat({ "langsmith.span.kind": kind }).modelCalls).toEqual([]);
  }
});

test("LangSmith's details of tokens are JSON", () => {
  expect(
    usageOf({
      "gen_ai.usage.input_tokens": 1000,
      "gen_ai.usage.output_tokens": 100,
      "gen_ai.usage.input_token_details": '{"cache_read":500,"cache_creation":100,"audio":50}',
      "gen_ai.usage.output_token_details": '{"reasoning":40,"audio":0}',
    }),
  ).toEqual({
    input_tokens: 350,
    input_audio_tokens: 50,
    cache_read_input_tokens: 500,
    cache_creation_input_tokens: 100,
    output_tokens: 60,
    reasoning_output_tokens: 40,
  });
});

test("Sentry's names of the AI SDK's attributes", () => {
  const conversation = assembleReported("sentry-ai-sdk");
  expect(transcriptOf(conversation)).toEqual(["user: Hello world", "assistant: Hello there!"]);
  expect(conversation.modelCalls).toMatchObject([{ usage: { input_tokens: 2, output_tokens: 22 } }]);
});

test("Sentry's messages, texts and tool calls of other clients", () => {
  expect(
    transcriptOf(
      chat({
        "gen_ai.request.messages": '[{"role":"system","content":"Be brief."},{"role":"user","content":"Weather?"}]',
        "gen_ai.response.text": '["It rains.","Take a coat."]',
        "gen_ai.response.tool_calls": '[{"id":"c1","type":"function","function":{"name":"look","arguments":"{}"}}]',
      }),
    ),
  ).toEqual(["system: Be brief.", "user: Weather?", "assistant: It rains. Take a coat. look({})"]);
});

test("a tool's arguments and result under other clients' names", () => {
  const tool = (attributes: SentAttributes) =>
    assemble(spansOf([{ attributes: { ...attributes, "gen_ai.operation.name": "execute_tool" } }])).toolCalls[0];
  const expected = { name: "look", arguments: '{"a":1}', result: "found" };
  expect(
    tool({ "gen_ai.tool.name": "look", "gen_ai.tool.input": '{"a":1}', "gen_ai.tool.output": "found" }),
  ).toMatchObject(expected); // Sentry
  expect(tool({ "gen_ai.tool.name": "look", tool_arguments: '{"a":1}', tool_response: "found" })).toMatchObject(
    expected,
  ); // Pydantic AI
  expect(
    tool({ "tool.name": "look", "tool.id": "c1", "input.value": '{"a":1}', "output.value": "found" }),
  ).toMatchObject({ ...expected, callId: "c1" }); // OpenInference
});

test.each([
  "gen_ai.response.finish_reason",
  "gen_ai.response.stop_reason",
  "llm.response.finish_reason",
  "llm.response.stop_reason",
])("%s is a finish reason", (name) => {
  expect(chat({ [name]: "length" }).modelCalls[0]?.finishReasons).toEqual(["length"]);
});

test("Logfire's requests and responses", () => {
  const call = chat({
    request_data: '{"model":"gpt-4o","messages":[{"role":"user","content":"Weather?"}]}',
    response_data: '{"message":{"role":"assistant","content":"It rains."},"usage":{"total_tokens":9}}',
  });
  expect(transcriptOf(call)).toEqual(["user: Weather?", "assistant: It rains."]);
  const streamed = chat({
    request_data: '{"model":"gpt-4o","messages":[{"role":"user","content":"Weather?"}]}',
    response_data: '{"combined_chunk_content":"It rains.","chunk_count":3}',
  });
  expect(transcriptOf(streamed)).toEqual(["user: Weather?", "assistant: It rains."]);
});

test("Logfire's events of the Responses API", () => {
  const lookup = { id: "c1", type: "function", function: { name: "look", arguments: "{}" } };
  const call = chat({
    request_data: '{"model":"gpt-4o","stream":false}',
    events: JSON.stringify([
      { "event.name": "gen_ai.system.message", content: "Be brief.", role: "system" },
      { "event.name": "gen_ai.user.message", content: "Weather?", role: "user" },
      { "event.name": "gen_ai.assistant.message", role: "assistant", tool_calls: [lookup] },
      { "event.name": "gen_ai.tool.message", role: "tool", id: "c1", content: "rain", name: "look" },
      {
        "event.name": "gen_ai.unknown",
        role: "unknown",
        content: "web_search_call\n\nSee JSON for details",
        data: { type: "web_search_call", id: "w1", action: { query: "rain" }, status: "completed" },
      },
      { "event.name": "gen_ai.assistant.message", content: "It rains.", role: "assistant" },
    ]),
  });
  expect(transcriptOf(call)).toEqual([
    "system: Be brief.",
    "user: Weather?",
    "assistant: look({})",
    "tool: rain",
    'assistant: web_search({"query":"rain"})',
    "assistant: It rains.",
  ]);
});

test("events of an older Pydantic AI, whose response is a choice", () => {
  const call = chat({
    events: JSON.stringify([
      { "event.name": "gen_ai.user.message", content: "Weather?", role: "user", "gen_ai.message.index": 0 },
      { "event.name": "gen_ai.choice", index: 0, message: { role: "assistant", content: "It rains." } },
    ]),
  });
  expect(transcriptOf(call)).toEqual(["user: Weather?", "assistant: It rains."]);
});

test("LiveKit's cached tokens are part of the input", () => {
  expect(assembleReported("livekit-cached").modelCalls).toMatchObject([
    { usage: { input_tokens: 200, cache_read_input_tokens: 800, output_tokens: 100 } },
  ]);
  expect(
    usageOf({
      "gen_ai.usage.input_tokens": 1000,
      "gen_ai.usage.input_text_tokens": 600,
      "gen_ai.usage.input_audio_tokens": 400,
      "gen_ai.usage.input_cached_tokens": 300,
      "gen_ai.usage.input_cached_text_tokens": 200,
      "gen_ai.usage.input_cached_audio_tokens": 100,
      "gen_ai.usage.output_tokens": 10,
    }),
  ).toEqual({
    input_tokens: 400,
    input_audio_tokens: 300,
    cache_read_input_tokens: 200,
    cache_read_input_audio_tokens: 100,
    output_tokens: 10,
  });
});

test("of a zero and a number under two names of one figure the number counts", () => {
  expect(assembleReported("zero-beside-a-number").modelCalls).toMatchObject([
    { usage: { input_tokens: 4, cache_read_input_tokens: 2455, output_tokens: 23 } },
  ]);
  const sent = { "gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 10 };
  for (const reasoning of [
    { "gen_ai.usage.reasoning.output_tokens": 0, "gen_ai.usage.reasoning_tokens": 4 },
    { "gen_ai.usage.reasoning.output_tokens": 4, "gen_ai.usage.reasoning_tokens": 0 },
  ]) {
    expect(usageOf({ ...sent, ...reasoning })).toEqual({
      input_tokens: 100,
      output_tokens: 6,
      reasoning_output_tokens: 4,
    });
  }
  expect(usageOf({ ...sent, "gen_ai.usage.prompt_tokens": 0 })).toEqual({ input_tokens: 100, output_tokens: 10 });
});

test("a graph that waits for a person has not failed", () => {
  const { toolCalls, errorCount } = assembleReported("interrupted-graph");
  expect(toolCalls).toMatchObject([{ name: "refund", result: null, error: null }]);
  expect(errorCount).toBe(0);
});

test("a cancelled call has not failed, and its finish reason says so", () => {
  const { modelCalls, errorCount } = assembleReported("cancelled-call");
  expect(modelCalls).toMatchObject([{ status: "ok", error: null, finishReasons: ["cancelled"] }]);
  expect(errorCount).toBe(0);
});

const ended = (type: string | null, message: string) =>
  assemble(
    spansOf([
      {
        attributes: CHAT,
        status: { code: 2, message },
        events: [
          { name: "exception", attributes: { ...(type && { "exception.type": type }), "exception.message": message } },
        ],
      },
    ]),
  ).modelCalls[0];

test.each([
  ["langgraph.errors.NodeInterrupt", "approve?", "interrupted"],
  ["langgraph.errors.ParentCommand", "Command(goto='sales')", "handed over"],
  ["pydantic_ai.exceptions.ApprovalRequired", "", "interrupted"],
  ["CancelledError", "", "cancelled"],
  ["builtins.GeneratorExit", "", "cancelled"],
  ["java.util.concurrent.CancellationException", "", "cancelled"],
  ["AbortError", "This operation was aborted", "cancelled"],
  ["APIUserAbortError", "Request was aborted.", "cancelled"],
  ["Error", "The operation was aborted.", "cancelled"],
  ["*errors.errorString", "context canceled", "cancelled"],
  [null, "GraphInterrupt((Interrupt(value='ok?'),))", "interrupted"],
])("%s (%s) is control flow", (type, message, ending) => {
  expect(ended(type, message)).toMatchObject({ status: "ok", error: null, finishReasons: [ending] });
});

test.each([
  ["TimeoutError", "The operation was aborted due to timeout"],
  ["openai.APITimeoutError", "Request timed out."],
  ["System.Threading.Tasks.TaskCanceledException", "The request was canceled due to the configured HttpClient.Timeout"],
  ["ValueError", "GraphInterrupt is not a node"],
  ["Error", "Order was cancelled by the shop"],
  [null, "context deadline exceeded"],
])("%s (%s) is a failure", (type, message) => {
  expect(ended(type, message)).toMatchObject({ status: "error", error: { type, message } });
});

test("a span that failed beside a cancelled one counts", () => {
  const { errorCount } = assemble(
    spansOf([
      { attributes: { ...CHAT, "error.type": "CancelledError" }, status: { code: 2 } },
      { spanId: idOf(7), attributes: { ...CHAT, "error.type": "RateLimitError" }, status: { code: 2 } },
    ]),
  );
  expect(errorCount).toBe(1);
});

test("LiveKit's context, response and tools", () => {
  const conversation = assemble(
    spansOf([
      {
        attributes: {
          ...CHAT,
          "lk.pii.chat_ctx":
            '{"items":[{"type":"message","role":"system","content":["Be brief."]},{"type":"message","role":"user","content":["Weather?"]}]}',
          "lk.pii.response.text": "One moment.",
          "lk.pii.response.function_calls": '[{"type":"function_call","call_id":"c1","name":"look","arguments":"{}"}]',
        },
      },
      {
        attributes: {
          "lk.function_tool.id": "c1",
          "lk.function_tool.name": "look",
          "lk.pii.function_tool.arguments": "{}",
          "lk.pii.function_tool.output": "no such place",
          "lk.function_tool.is_error": true,
        },
      },
    ]),
  );
  expect(transcriptOf(conversation)).toEqual([
    "system: Be brief.",
    "user: Weather?",
    "assistant: One moment. look({})",
  ]);
  expect(conversation.toolCalls).toMatchObject([
    { callId: "c1", name: "look", arguments: "{}", result: "no such place", error: {} },
  ]);
});
