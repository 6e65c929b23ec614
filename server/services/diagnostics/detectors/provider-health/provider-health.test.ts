import { describe, expect, test } from "vitest";
import { assistant, called, conversationOf, user } from "../../../../../bench/labelled/conversation";
import type { ConversationSnapshot, Detector, SnapshotModelCall } from "../../types";
import { contextOverflow } from "./context-overflow";
import { costSpike } from "./cost-spike";
import { providerError } from "./provider-error";
import { rateLimited } from "./rate-limited";
import { slowResponse } from "./slow-response";

const matches = (detector: Detector, conversation: ConversationSnapshot) =>
  detector.detect(conversation, { keywords: [] }).filter(({ verdict }) => verdict === "match");

const call = (fields: Partial<SnapshotModelCall> = {}): SnapshotModelCall => ({
  spanId: "m1",
  traceId: "t",
  name: "chat",
  provider: "openai",
  requestedModel: "gpt-4o",
  responseModel: null,
  finishReasons: ["stop"],
  status: "ok",
  error: null,
  startedAt: 0,
  endedAt: 1000,
  usage: null,
  ...fields,
});
const withCalls = (...modelCalls: SnapshotModelCall[]): ConversationSnapshot => ({
  ...conversationOf(user("Where is it?"), assistant("It has shipped.")),
  modelCalls,
});
const failed = (type: string | null, message: string | null, fields: Partial<SnapshotModelCall> = {}) =>
  call({ status: "error", error: { type, message }, ...fields });

const SIGNALS = { provider_error: providerError, rate_limited: rateLimited, context_overflow: contextOverflow };
const signalsOf = (conversation: ConversationSnapshot) =>
  Object.entries(SIGNALS).flatMap(([name, detector]) => (matches(detector, conversation).length > 0 ? [name] : []));

describe("a failed model call", () => {
  test.each([
    ["provider_error", "APIError", "Internal server error"],
    ["provider_error", null, "Connection error."],
    ["provider_error", "AuthenticationError", "Incorrect API key provided: sk-…"],
    ["provider_error", "APITimeoutError", "Request timed out."],
    ["provider_error", null, null],
    ["rate_limited", "RateLimitError", "Rate limit reached for gpt-4o in organization org-x"],
    ["rate_limited", "429", null],
    ["rate_limited", null, "You exceeded your current quota, please check your plan and billing details."],
    ["rate_limited", "overloaded_error", "Overloaded"],
    ["rate_limited", "ThrottlingException", "Too many requests, please wait before trying again."],
    ["rate_limited", "google.api_core.exceptions.ResourceExhausted", "429 Resource has been exhausted"],
    [
      "context_overflow",
      "BadRequestError",
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
    ],
    ["context_overflow", null, "prompt is too long: 210000 tokens > 200000 maximum"],
    ["context_overflow", "ContextWindowExceededError", "litellm: too long"],
    [
      "context_overflow",
      null,
      "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    ],
    ["context_overflow", null, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193"],
  ])("is a %s: %s %s", (signal, type, message) => {
    expect(signalsOf(withCalls(failed(type, message)))).toEqual([signal]);
  });

  test("is reported with model, provider and the provider's message, and quotes the span", () => {
    const printed = `Error code: 400 - {'error': {'message': "Invalid value for 'temperature'.", 'type': 'x'}}`;
    const [found] = matches(providerError, withCalls(failed("BadRequestError", printed), call({ spanId: "m2" })));
    expect(found).toMatchObject({
      title: "openai gpt-4o fails: invalid value for ….",
      cause: "openai gpt-4o: invalid value for <value>.",
      evidence: [{ spanId: "m1", messageIndex: null, quote: expect.stringContaining("Error code: 400") }],
    });
    expect(found!.summary).toContain("a later call succeeded");
  });

  test("has one cause per model and error, whatever the values", () => {
    const twice = withCalls(
      failed(null, "Request req_8f14e45fceea failed"),
      failed(null, "Request req_c4ca4238a0b9 failed", { spanId: "m2" }),
      failed(null, "Request req_c81e728d9d4c failed", { spanId: "m3", requestedModel: "o3" }),
    );
    expect(matches(providerError, twice).map(({ evidence }) => evidence.length)).toEqual([2, 1]);
  });

  test("is not reported when the caller aborted it", () => {
    for (const [type, message] of [
      ["AbortError", "This operation was aborted"],
      ["CancelledError", ""],
      [null, "Request was aborted."],
      [null, "context canceled"],
    ] as const) {
      expect(signalsOf(withCalls(failed(type, message)))).toEqual([]);
    }
  });
});

describe("an exception in place of a reply", () => {
  const printed = "openai.BadRequestError: Error code: 400 - {'error': {'message': 'The response was filtered'}}";
  test("is a provider_error", () => {
    const conversation = conversationOf(user("Go."), assistant(`Error processing message\nTraceback …\n${printed}`));
    expect(matches(providerError, conversation)).toMatchObject([
      { cause: "the model: the response was filtered", evidence: [{ messageIndex: 1 }] },
    ]);
  });
  test("is quoted wherever it appears in the reply", () => {
    const [found] = matches(
      providerError,
      conversationOf(user("Go."), assistant(`${"at step\n".repeat(100)}${printed}`)),
    );
    expect(found!.evidence[0]!.quote).toContain("The response was filtered");
  });
  test("is not reported when it is mentioned, in code or returned by a tool", () => {
    expect(
      signalsOf(conversationOf(user(`What does this mean? ${printed}`), assistant(`It says: ${printed}`))),
    ).toEqual([]);
    expect(signalsOf(conversationOf(user("How?"), assistant(`Catch it:\n\`\`\`\n${printed}\n\`\`\``)))).toEqual([]);
    expect(signalsOf(conversationOf(user("Go."), ...called("ask", {}, printed), assistant("That failed.")))).toEqual(
      [],
    );
  });
});

describe("context_overflow", () => {
  test("is detected when input and output fill the window and the reply is cut off", () => {
    const usage = { input_tokens: 127_000, cache_read_input_tokens: 900, output_tokens: 100 };
    expect(matches(contextOverflow, withCalls(call({ finishReasons: ["length"], usage })))).toHaveLength(1);
    expect(
      matches(contextOverflow, withCalls(call({ finishReasons: ["model_context_window_exceeded"] }))),
    ).toHaveLength(1);
  });
  test("is not detected when the reply's own limit cut it off or nothing did", () => {
    const short = { input_tokens: 1000, output_tokens: 4096 };
    expect(matches(contextOverflow, withCalls(call({ finishReasons: ["length"], usage: short })))).toEqual([]);
    const full = { input_tokens: 127_900, output_tokens: 100 };
    expect(matches(contextOverflow, withCalls(call({ usage: full })))).toEqual([]);
  });
});

const quantiles = (p50: number, p95: number, p99: number) => ({ n: 500, p50, p95, p99 });
const baseline = {
  models: [
    { provider: "openai", model: "gpt-4o", durationMs: quantiles(1500, 4000, 8000), msPerToken: quantiles(15, 30, 60) },
  ],
  conversationCost: quantiles(0.02, 0.06, 0.1),
};
const measured = (...calls: SnapshotModelCall[]) => ({ ...withCalls(...calls), baseline });

describe("slow_response", () => {
  test("detects a call far slower than 99% of its model's calls", () => {
    expect(matches(slowResponse, measured(call({ endedAt: 45_000 })))).toMatchObject([
      { title: "openai gpt-4o is slow: 45 s for a call that usually takes 1.5 s", cause: "openai gpt-4o: slow" },
    ]);
  });
  test("quotes the delayed reply", () => {
    const conversation = measured(call({ endedAt: 45_000 }));
    const messages = conversation.messages.map((message) => ({ ...message, spanId: "m1" }));
    expect(matches(slowResponse, { ...conversation, messages })[0]!.evidence).toMatchObject([{ messageIndex: 1 }]);
  });
  test.each([
    ["within what is usual", call({ endedAt: 12_000 })],
    ["a long reply", call({ endedAt: 45_000, usage: { output_tokens: 4000 } })],
    ["of a model without a baseline", call({ endedAt: 45_000, requestedModel: "o3" })],
    ["a failed call", call({ endedAt: 45_000, status: "error" })],
  ])("does not match when it is %s", (_, one) => expect(matches(slowResponse, measured(one))).toEqual([]));
  test("does not match without a baseline", () => {
    expect(matches(slowResponse, withCalls(call({ endedAt: 45_000 })))).toEqual([]);
    expect(matches(slowResponse, { ...withCalls(call({ endedAt: 45_000 })), baseline: null })).toEqual([]);
  });
});

describe("cost_spike", () => {
  test("detects a conversation far more expensive than 99% of others", () => {
    const calls = [call({ costTotal: "0.1" }), call({ spanId: "m2", costTotal: "0.9" }), call({ spanId: "m3" })];
    expect(matches(costSpike, measured(...calls))).toMatchObject([
      {
        title: "A conversation with openai gpt-4o cost $1.00, usually $0.020",
        evidence: [{ spanId: "m2" }, { spanId: "m1" }, { spanId: "m3" }],
      },
    ]);
  });
  test("ignores a cost that is usual, low, unknown or without a baseline", () => {
    expect(matches(costSpike, measured(call({ costTotal: "0.15" })))).toEqual([]);
    expect(matches(costSpike, measured(call({ costTotal: null })))).toEqual([]);
    expect(matches(costSpike, withCalls(call({ costTotal: "9" })))).toEqual([]);
    const cheap = { models: [], conversationCost: quantiles(0.0001, 0.0002, 0.0003) };
    expect(matches(costSpike, { ...withCalls(call({ costTotal: "0.005" })), baseline: cheap })).toEqual([]);
  });
});
