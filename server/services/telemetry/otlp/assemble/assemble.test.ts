import { describe, expect, test } from "vitest";
import { assemble, assistant, chat, idOf, NOW, spansOf, system, transcriptOf, user } from "../testing/conversations";
import type { SentSpan } from "../testing/encode-otlp";

const transcript = (spans: SentSpan[]) => transcriptOf(assemble(spansOf(spans)));
const callIds = (spans: SentSpan[]) => assemble(spansOf(spans)).modelCalls.map((call) => call.spanId);

describe("messages", () => {
  const desk = system("You are a weather desk.");

  test("are not repeated when every call resends the history", () => {
    const spans: SentSpan[] = [
      { attributes: chat([desk, user("hi")], "hello") },
      { attributes: chat([desk, user("hi"), assistant("hello"), user("weather?")], "rain") },
      {
        attributes: chat(
          [desk, user("hi"), assistant("hello"), user("weather?"), assistant("rain"), user("thanks")],
          "bye",
        ),
      },
    ];
    const expected = [
      "system: You are a weather desk.",
      "user: hi",
      "assistant: hello",
      "user: weather?",
      "assistant: rain",
      "user: thanks",
      "assistant: bye",
    ];
    expect(transcript(spans)).toEqual(expected);
    expect(transcriptOf(assemble(spansOf(spans).reverse()))).toEqual(expected);
    const { messages } = assemble(spansOf(spans));
    expect(messages.map((message) => message.spanId)).toEqual([1, 1, 1, 2, 2, 3, 3].map((number) => idOf(number)));
    expect(messages.map((message) => message.at)).toEqual([0, 0, 500, 1000, 1500, 2000, 2500].map((ms) => NOW + ms));
  });

  test("are not repeated when the history is truncated, or its system prompt or white space changes", () => {
    expect(
      transcript([
        { attributes: chat([system("It is 9:00."), user("a")], "1 ") },
        { attributes: chat([system("It is 9:01."), user("a"), assistant("1"), user("b")], "2") },
        { attributes: chat([system("It is 9:02."), user("b "), assistant("2"), user("c")], "3") },
      ]),
    ).toEqual([
      "system: It is 9:00.",
      "user: a",
      "assistant: 1 ",
      "system: It is 9:01.",
      "user: b",
      "assistant: 2",
      "system: It is 9:02.",
      "user: c",
      "assistant: 3",
    ]);
  });

  test("are appended if a client sends only new ones", () => {
    expect(transcript([{ attributes: chat([user("a")], "1") }, { attributes: chat([user("b")], "2") }])).toEqual([
      "user: a",
      "assistant: 1",
      "user: b",
      "assistant: 2",
    ]);
  });

  test("that a person sends twice appear twice", () => {
    const [first, second] = [idOf(1, 16), idOf(2, 16)];
    expect(
      transcript([
        { attributes: chat([user("hi")], "hello") },
        { attributes: chat([user("hi"), assistant("hello"), user("hi")], "again?") },
      ]),
    ).toEqual(["user: hi", "assistant: hello", "user: hi", "assistant: again?"]);
    expect(
      transcript([
        { traceId: first, attributes: chat([desk, user("hi")], "hello") },
        { traceId: second, attributes: chat([desk, user("hi")], "hello") },
      ]),
    ).toEqual(["system: You are a weather desk.", "user: hi", "assistant: hello", "user: hi", "assistant: hello"]);
  });

  test("all appear if the input is unknown", () => {
    const answer = { "gen_ai.operation.name": "chat", "gen_ai.output.messages": "ok" };
    expect(transcript([{ attributes: answer }, { attributes: answer }])).toEqual(["assistant: ok", "assistant: ok"]);
  });

  test("of a failed call are not repeated by its retry", () => {
    expect(
      transcript([
        { traceId: idOf(1, 16), attributes: chat([user("hi")], null), status: { code: 2 } },
        { traceId: idOf(2, 16), attributes: chat([user("hi")], "hello") },
      ]),
    ).toEqual(["user: hi", "assistant: hello"]);
  });

  test("come from wrappers only in traces whose calls have none", () => {
    const agent = {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.input.messages": JSON.stringify([user("hi")]),
      "gen_ai.output.messages": JSON.stringify([assistant("hello")]),
    };
    const bare = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4o" };
    expect(transcript([{ attributes: agent }, { parentSpanId: idOf(1), attributes: bare }])).toEqual([
      "user: hi",
      "assistant: hello",
    ]);
    expect(
      transcript([{ attributes: agent }, { parentSpanId: idOf(1), attributes: chat([user("hi there")], "hello") }]),
    ).toEqual(["user: hi there", "assistant: hello"]);
    expect(transcript([{ attributes: agent }, { parentSpanId: idOf(1), attributes: agent }])).toEqual([
      "user: hi",
      "assistant: hello",
    ]);
  });

  test("take the wrapper's output if the call has none", () => {
    const outer = { "ai.operationId": "ai.generateText", "ai.response.text": "sunny" };
    const inner = {
      "ai.operationId": "ai.generateText.doGenerate",
      "ai.prompt.messages": JSON.stringify([user("weather?")]),
    };
    expect(transcript([{ attributes: outer }, { parentSpanId: idOf(1), attributes: inner }])).toEqual([
      "user: weather?",
      "assistant: sunny",
    ]);
  });

  test("get the ids of tool calls that their first occurrence lacks", () => {
    const call = (id?: string) => ({
      role: "assistant",
      tool_calls: [{ id, function: { name: "look", arguments: '{"at":1}' } }],
    });
    const spans = [
      { attributes: chat([user("a")], call()) },
      { attributes: chat([user("a"), call("c1"), { role: "tool", tool_call_id: "c1", content: "x" }], "done") },
    ];
    const { messages, toolCalls } = assemble(spansOf(spans));
    expect(messages.map((message) => message.role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(messages[1]?.toolCalls).toEqual([{ id: "c1", name: "look", arguments: '{"at":1}' }]);
    expect(toolCalls).toHaveLength(1);
  });
});

describe("one call counts once", () => {
  const usage = { "gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 5 };
  const outer: SentSpan = {
    spanId: idOf(1),
    start: NOW,
    end: NOW + 900,
    attributes: {
      "openinference.span.kind": "LLM",
      "llm.model_name": "gpt-4o",
      "llm.token_count.prompt": 10,
      "llm.token_count.completion": 5,
      "llm.input_messages.0.message.role": "user",
      "llm.input_messages.0.message.content": "hi",
    },
  };
  const inner: SentSpan = {
    spanId: idOf(2),
    start: NOW + 100,
    end: NOW + 800,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.response.model": "gpt-4o-2024-08-06",
      "gen_ai.response.id": "r1",
      ...usage,
      "gen_ai.usage.cache_read.input_tokens": 4,
    },
  };
  const apart = (spans: SentSpan[]) => spans.flatMap((span, index) => spansOf([span], { scope: `scope ${index}` }));

  test("if two spans are nested: the inner one, with the messages of the outer", () => {
    const { modelCalls, messages } = assemble(apart([outer, { ...inner, parentSpanId: idOf(1) }]));
    expect(modelCalls).toMatchObject([
      {
        spanId: idOf(2),
        usage: { input_tokens: 6, cache_read_input_tokens: 4, output_tokens: 5 },
        requestedModel: "gpt-4o",
      },
    ]);
    expect(messages).toMatchObject([{ role: "user", spanId: idOf(1) }]);
  });

  test("if two instrumentations report it as siblings", () => {
    const parentSpanId = idOf(7);
    const spans = [
      { ...outer, parentSpanId },
      { ...inner, parentSpanId, attributes: { ...inner.attributes, "gen_ai.response.model": "gpt-4o" } },
    ];
    expect(assemble(apart(spans)).modelCalls.map((call) => call.spanId)).toEqual([idOf(2)]);
  });

  describe("a stream that Logfire reports in two spans", () => {
    // As sent by Logfire 5.2: a span until the headers, and another at the end, with the duration.
    const LOGFIRE = { scope: "logfire.openai" };
    const request = (n: number, start: number, text: string, more: Partial<SentSpan> = {}): SentSpan => ({
      spanId: idOf(n),
      parentSpanId: idOf(7),
      start: NOW + start,
      end: NOW + start + 20,
      attributes: { ...chat([user(text)], null), "logfire.span_type": "span" },
      ...more,
    });
    const end = (n: number, at: number, seconds: number, text: string, more = {}): SentSpan => ({
      spanId: idOf(n),
      parentSpanId: idOf(7),
      start: NOW + at,
      end: NOW + at,
      attributes: {
        ...chat([user(text)], "fine", { ...usage, ...more }),
        "logfire.span_type": "log",
        duration: seconds,
      },
    });

    test("is one call, from the request to the end of the stream", () => {
      const { modelCalls, messages } = assemble(spansOf([request(1, 0, "hi"), end(2, 5_000, 4.97, "hi")], LOGFIRE));
      expect(modelCalls).toMatchObject([
        {
          spanId: idOf(2),
          startedAt: NOW,
          endedAt: NOW + 5_000,
          status: "ok",
          usage: { input_tokens: 10, output_tokens: 5 },
        },
      ]);
      expect(messages.map(({ role, at }) => [role, at])).toEqual([
        ["user", NOW],
        ["assistant", NOW + 5_000],
      ]);
    });

    test("is one call if it has no parent and each span is its own trace", () => {
      const root = (span: SentSpan, n: number): SentSpan => ({ ...span, traceId: idOf(n, 16), parentSpanId: "" });
      const halves = [root(request(1, 0, "hi"), 11), root(end(2, 800, 0.77, "hi"), 12)];
      expect(assemble(spansOf(halves, LOGFIRE)).modelCalls).toMatchObject([{ startedAt: NOW, endedAt: NOW + 800 }]);
    });

    test("is one call per stream, sequential or concurrent", () => {
      const inTurn = [request(1, 0, "a"), end(2, 800, 0.77, "a"), request(3, 805, "a"), end(4, 1_600, 0.77, "a")];
      expect(assemble(spansOf(inTurn, LOGFIRE)).modelCalls.map(({ startedAt }) => startedAt - NOW)).toEqual([0, 805]);
      const many = Array.from({ length: 20 }, (_, n) => n);
      const atOnce = [
        ...many.map((n) => request(10 + n, n, `question ${n}`)),
        ...many.map((n) => end(40 + n, 2_000 + n, 1.9, `question ${19 - n}`)),
      ];
      expect(assemble(spansOf(atOnce, LOGFIRE)).modelCalls).toHaveLength(20);
      const alike = [
        ...many.map((n) => request(10 + n, n, "same")),
        ...many.map((n) => end(40 + n, 2_000 + n, 1.9, "same")),
      ];
      expect(assemble(spansOf(alike, LOGFIRE)).modelCalls).toHaveLength(20);
    });

    test("is one call even without usage, or with the vendor's own span inside", () => {
      const {
        "gen_ai.usage.input_tokens": _,
        "gen_ai.usage.output_tokens": __,
        ...bare
      } = end(2, 800, 0.77, "a").attributes ?? {};
      const untold = [request(1, 0, "a"), { ...end(2, 800, 0.77, "a"), attributes: bare }];
      expect(assemble(spansOf(untold, LOGFIRE)).modelCalls).toMatchObject([{ usage: null }]);
      const sdk: SentSpan = { ...inner, spanId: idOf(3), parentSpanId: idOf(1), start: NOW + 1, end: NOW + 790 };
      const three = [
        ...spansOf([request(1, 0, "a"), end(2, 800, 0.77, "a")], LOGFIRE),
        ...spansOf([sdk], { scope: "sdk" }),
      ];
      expect(assemble(three).modelCalls).toMatchObject([{ responseId: "r1", usage: { cache_read_input_tokens: 4 } }]);
    });

    test("is not joined to a failed request before it or a request in progress", () => {
      const failed = request(1, 0, "a", { status: { code: 2, message: "500" } });
      const retried = assemble(spansOf([failed, request(3, 100, "a"), end(4, 900, 0.77, "a")], LOGFIRE));
      expect(retried.modelCalls.map(({ status }) => status)).toEqual(["error", "ok"]);
      const slow = request(3, 100, "a", { end: NOW + 890 });
      expect(assemble(spansOf([request(1, 0, "a"), slow, end(4, 900, 0.87, "a")], LOGFIRE)).modelCalls).toHaveLength(2);
    });
  });

  test("if two traces report it with the same response id", () => {
    const withId = { ...outer, attributes: { ...outer.attributes, "output.value": '{"id":"r1","choices":[]}' } };
    expect(assemble(apart([withId, { ...inner, traceId: idOf(5, 16) }])).modelCalls).toHaveLength(1);
    expect(assemble(apart([withId, { ...inner, traceId: idOf(5, 16), start: NOW + 60_000 }])).modelCalls).toHaveLength(
      2,
    );
  });

  test("and two parallel calls count twice", () => {
    const parentSpanId = idOf(7);
    const call = (spanId: string, text: string): SentSpan => ({
      spanId,
      parentSpanId,
      start: NOW,
      attributes: chat([user(text)], "ok", usage),
    });
    expect(callIds([call(idOf(1), "a"), call(idOf(2), "b")])).toEqual([idOf(1), idOf(2)]);
    expect(
      callIds(
        [call(idOf(1), "a"), call(idOf(2), "b")].map((span) => ({
          ...span,
          attributes: { ...span.attributes, "gen_ai.response.id": "always this" },
        })),
      ),
    ).toHaveLength(2);
  });

  test("and a failed call counts as one error, whichever of its spans failed", () => {
    const failed = { status: { code: 2 as const, message: "400" } };
    // As OpenInference and Anthropic's own SDK report a call that the server rejects: the outer span has the request.
    const asking: SentSpan = {
      ...outer,
      attributes: { "openinference.span.kind": "LLM", "llm.model_name": "gpt-4o", "input.value": "hi" },
    };
    const refused: SentSpan = {
      ...inner,
      attributes: { "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4o" },
    };
    const within = (outerFails: object, innerFails: object) =>
      assemble(
        apart([
          { ...asking, ...outerFails },
          { ...refused, ...innerFails, parentSpanId: idOf(1) },
        ]),
      );
    expect(within(failed, failed)).toMatchObject({ errorCount: 1, modelCalls: [{ status: "error" }] });
    expect(within(failed, {})).toMatchObject({ errorCount: 1, modelCalls: [{}] });
    expect(within({}, failed)).toMatchObject({ errorCount: 1, modelCalls: [{}] });
    const parentSpanId = idOf(7);
    const beside = assemble(apart([asking, { ...refused, ...failed }].map((span) => ({ ...span, parentSpanId }))));
    expect(beside).toMatchObject({ errorCount: 1, modelCalls: [{}] });
  });

  test("and two failed attempts inside one step count as two failed calls", () => {
    const failed: SentSpan = {
      parentSpanId: idOf(1),
      attributes: { "gen_ai.operation.name": "chat" },
      status: { code: 2, message: "429" },
    };
    const conversation = assemble(
      spansOf([{ attributes: { "gen_ai.operation.name": "invoke_agent" }, status: { code: 2 } }, failed, failed]),
    );
    expect(conversation.modelCalls.map((call) => call.status)).toEqual(["error", "error"]);
    expect(conversation.errorCount).toBe(2);
  });

  test("wrappers with usage do not count", () => {
    expect(
      callIds([
        { attributes: { "gen_ai.operation.name": "invoke_agent", ...usage } },
        { parentSpanId: idOf(1), attributes: chat([], "ok", usage) },
      ]),
    ).toEqual([idOf(2)]);
    expect(callIds([{ attributes: { "ai.operationId": "ai.streamText", "ai.usage.inputTokens": 9 } }])).toEqual([]);
  });

  test("a call inside a tool is not merged with the call above it", () => {
    const tool = { parentSpanId: idOf(1), attributes: { "gen_ai.operation.name": "execute_tool" } };
    expect(
      callIds([
        { attributes: chat([user("a")], "b") },
        tool,
        { parentSpanId: idOf(2), attributes: chat([user("c")], "d") },
      ]),
    ).toEqual([idOf(1), idOf(3)]);
  });

  test("LiteLLM's raw request copy below a call does not count", () => {
    const copy = { name: "raw_gen_ai_request", parentSpanId: idOf(1), attributes: { "llm.openai.model": "gpt-4o" } };
    expect(callIds([{ name: "litellm_request", attributes: chat([user("a")], "b", usage) }, copy])).toEqual([idOf(1)]);
  });

  test("a span added twice changes nothing", () => {
    const spans = spansOf([{ attributes: chat([user("a")], "b", usage) }]);
    expect(assemble([...spans, ...spans])).toEqual(assemble(spans));
  });
});

describe("tool calls", () => {
  const asks = {
    role: "assistant",
    tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: '{"at":"Oslo"}' } }],
  };
  const answer = { role: "tool", tool_call_id: "c1", content: "rain" };
  const spans = (tool: SentSpan): SentSpan[] => [
    { attributes: chat([user("a")], asks) },
    tool,
    { attributes: chat([user("a"), asks, answer], "ok") },
  ];

  test("join their span by id, or by name if it has none", () => {
    for (const more of [{ "gen_ai.tool.call.id": "c1" }, {}]) {
      const { toolCalls } = assemble(
        spansOf(spans({ name: "execute_tool look", attributes: { "gen_ai.operation.name": "execute_tool", ...more } })),
      );
      expect(toolCalls).toMatchObject([
        { spanId: idOf(2), callId: "c1", name: "look", arguments: '{"at":"Oslo"}', result: "rain" },
      ]);
    }
  });

  test("seen only in messages are calls of the span that requests them", () => {
    const { messages, toolCalls } = assemble(spansOf(spans({ name: "other" })));
    expect(toolCalls).toMatchObject([
      {
        spanId: idOf(1),
        requestNumber: 1,
        callId: "c1",
        name: "look",
        arguments: '{"at":"Oslo"}',
        result: "rain",
        error: null,
      },
    ]);
    const [, request, result] = messages;
    expect(toolCalls).toMatchObject([{ startedAt: request?.at, endedAt: result?.at }]);
  });

  test("reported by the framework and by the tool itself are counted once", () => {
    const tool = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look" };
    expect(
      assemble(
        spansOf([
          { attributes: tool },
          { name: "look", parentSpanId: idOf(1), attributes: { "langwatch.span.type": "tool" } },
        ]),
      ).toolCalls,
    ).toHaveLength(1);
  });
});

describe("errors", () => {
  test("carry the exception's type and message", () => {
    const events = [
      {
        name: "exception",
        at: NOW,
        attributes: { "exception.type": "openai.RateLimitError", "exception.message": "slow down" },
      },
    ];
    const [call] = assemble(
      spansOf([
        {
          attributes: chat([user("a")], null, { "error.type": "RateLimitError" }),
          events,
          status: { code: 2, message: "status" },
        },
      ]),
    ).modelCalls;
    expect(call).toMatchObject({ status: "error", error: { type: "openai.RateLimitError", message: "slow down" } });
  });

  test("are not counted again in spans that propagate them", () => {
    const failed = { code: 2, message: "no" };
    const agent = { attributes: { "gen_ai.operation.name": "invoke_agent" }, status: failed };
    expect(
      assemble(spansOf([agent, { parentSpanId: idOf(1), attributes: chat([user("a")], null), status: failed }]))
        .errorCount,
    ).toBe(1);
    expect(assemble(spansOf([agent])).errorCount).toBe(1);
  });

  const calling = (id: string | null) => ({
    role: "assistant",
    parts: [{ type: "tool_call", id, name: "get_order", arguments: {} }],
  });
  const answered = (id: string | null, response: unknown, more: object = {}) => ({
    role: "tool",
    parts: [{ type: "tool_call_response", id, response, ...more }],
  });
  const toolSpan = (result: string, more: object = {}) => ({
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "get_order",
      "gen_ai.tool.call.id": "call_1",
      "gen_ai.tool.call.result": result,
      ...more,
    },
  });

  test.each([
    [
      "a message says so in words",
      [{ attributes: chat([user("a"), calling("call_1"), answered("call_1", "Error: order not found")], null) }],
      1,
    ],
    [
      "a message is flagged",
      [
        {
          attributes: chat(
            [user("a"), calling("call_1"), answered("call_1", "no such order", { is_error: true })],
            null,
          ),
        },
      ],
      1,
    ],
    [
      "nobody asked for what it answered",
      [{ attributes: chat([user("a"), answered("call_9", "Error: order not found")], null) }],
      1,
    ],
    ["its span ended well", [toolSpan("Error: order not found")], 1],
    [
      "its span and a message say so",
      [
        { attributes: chat([user("a"), calling("call_1"), answered("call_1", "Error: order not found")], null) },
        toolSpan("Error: order not found"),
      ],
      1,
    ],
    [
      "its span and its answer say so",
      [{ ...toolSpan("Error: order not found"), status: { code: 2, message: "no" } }],
      1,
    ],
    [
      "two of them failed",
      [
        {
          attributes: chat(
            [
              user("a"),
              calling("call_1"),
              answered("call_1", "Error: order not found"),
              calling("call_2"),
              answered("call_2", '{"error": "timed out"}'),
            ],
            null,
          ),
        },
      ],
      2,
    ],
    [
      "none did",
      [
        {
          attributes: chat(
            [user("Error: order not found"), calling("call_1"), answered("call_1", '{"order": 7}')],
            null,
          ),
        },
      ],
      0,
    ],
  ])("include failed tool calls: %s", (_what, spans, count) => {
    expect(assemble(spansOf(spans)).errorCount).toBe(count);
  });

  test("are counted without the root span, which may never arrive", () => {
    const { errorCount, messages } = assemble(
      spansOf([{ parentSpanId: idOf(99), attributes: chat([user("a")], null), status: { code: 2 } }]),
    );
    expect({ errorCount, said: messages.length }).toEqual({ errorCount: 1, said: 1 });
  });
});

test("times are those of the first and the last span", () => {
  const { startedAt, lastActivityAt } = assemble(
    spansOf([
      { start: NOW + 5000, end: NOW + 6000 },
      { start: NOW, end: NOW + 100 },
    ]),
  );
  expect({ startedAt, lastActivityAt }).toEqual({ startedAt: NOW, lastActivityAt: NOW + 6000 });
  expect(assemble([])).toMatchObject({ messages: [], modelCalls: [], startedAt: 0, lastActivityAt: 0 });
});

test("cyclic parents do not hang the assembler", () => {
  expect(callIds([{ parentSpanId: idOf(1), attributes: chat([user("a")], "b") }])).toEqual([idOf(1)]);
  expect(() =>
    callIds([
      { parentSpanId: idOf(2), attributes: chat([], "b") },
      { parentSpanId: idOf(1), attributes: chat([], "b") },
    ]),
  ).not.toThrow();
});

/** Generous for slow machines: these tests detect quadratic time in the number of spans. */
const PATIENCE_MS = 20_000;

test(
  "a long conversation that resends its history is assembled quickly",
  () => {
    const TURNS = 600;
    const history: object[] = [];
    const spans = spansOf(
      Array.from({ length: TURNS }, (_, turn) => {
        history.push(user(`question ${turn}`));
        const attributes = chat(history, `answer ${turn}`);
        history.push(assistant(`answer ${turn}`));
        return { attributes };
      }),
    );
    const started = performance.now();
    expect(assemble(spans).messages).toHaveLength(2 * TURNS);
    expect(performance.now() - started).toBeLessThan(PATIENCE_MS);
  },
  2 * PATIENCE_MS,
);

test(
  "20,000 spans in one deep chain are assembled quickly",
  () => {
    const spans = spansOf(
      Array.from({ length: 20_000 }, (_, index) => ({
        parentSpanId: idOf(index || 999_999),
        start: NOW + index,
        attributes: index % 2 ? chat([user(`${index}`)], null) : { "gen_ai.operation.name": "invoke_agent" },
        status: { code: 2 },
      })),
    );
    const started = performance.now();
    expect(assemble(spans).modelCalls).toHaveLength(10_000);
    expect(performance.now() - started).toBeLessThan(PATIENCE_MS);
  },
  2 * PATIENCE_MS,
);
