import { describe, expect, test } from "vitest";
import { assistant, called, conversationOf, user } from "../../../../../bench/labelled/conversation";
import type { ConversationSnapshot, Detector } from "../../types";
import { invalidToolArguments } from "./invalid-tool-arguments";
import { toolError } from "./tool-error";
import { toolErrorIgnored } from "./tool-error-ignored";
import { toolTimeout } from "./tool-timeout";
import { unknownTool } from "./unknown-tool";

const matches = (detector: Detector, conversation: ConversationSnapshot) =>
  detector.detect(conversation, { keywords: [] }).filter(({ verdict }) => verdict === "match");

const toolSpan = (fields: Partial<ConversationSnapshot["toolCalls"][number]>) => ({
  spanId: "s1",
  callId: null,
  name: "get_order",
  arguments: "{}",
  result: null,
  error: null,
  startedAt: 1,
  endedAt: 2,
  ...fields,
});

describe("tool_error", () => {
  test("names the tool and the error, and quotes it", () => {
    const [found] = matches(
      toolError,
      conversationOf(user("?"), ...called("get_order", { id: 7 }, "Error: Order not found")),
    );
    expect(found).toMatchObject({
      title: "`get_order` fails: order not found",
      cause: "get_order: error: order not found",
    });
    expect(found!.evidence).toEqual([
      { messageIndex: 2, start: 0, end: 22, quote: "Error: Order not found", spanId: null },
    ]);
  });

  test("merges the same failure into one signal with two quotes", () => {
    const found = matches(
      toolError,
      conversationOf(
        ...called("get", { id: 1 }, "Error: Order 1 not found"),
        ...called("get", { id: 2 }, "Error: Order 2 not found"),
      ),
    );
    expect(found).toHaveLength(1);
    expect(found[0]!.evidence.map(({ messageIndex }) => messageIndex)).toEqual([1, 3]);
  });

  test("detects a span with an error, regardless of its result", () => {
    const conversation = {
      ...conversationOf(user("?")),
      toolCalls: [toolSpan({ error: { type: "Timeout", message: "took 30 s" } })],
    };
    expect(matches(toolError, conversation)[0]).toMatchObject({
      evidence: [{ messageIndex: null, quote: "took 30 s", spanId: "s1" }],
    });
  });

  test("counts a call recorded by a message and by its span once", () => {
    const conversation = {
      ...conversationOf(user("?"), ...called("get_order", {}, "Error: no")),
      toolCalls: [toolSpan({ result: "Error: no", error: { type: null, message: "no" } })],
    };
    const found = matches(toolError, conversation);
    expect(found).toHaveLength(1);
    expect(found[0]!.evidence).toMatchObject([{ messageIndex: 2, spanId: "s1" }]);
  });

  test("detects a flagged result part", () => {
    const conversation = conversationOf({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "t1", is_error: true, content: "it broke" }],
    });
    expect(matches(toolError, conversation)[0]!.evidence[0]).toMatchObject({ messageIndex: null, quote: "it broke" });
  });

  describe("a result without a name takes the name of its call", () => {
    const call = (id?: string) => ({
      role: "assistant",
      content: "",
      tool_calls: [{ ...(id ? { id } : {}), name: "get_order", arguments: "{}" }],
    });
    const result = (id?: string) => ({
      role: "tool",
      content: "Error: Order not found",
      ...(id ? { tool_call_id: id } : {}),
    });
    test.each([
      ["by id", [call("c1"), result("c1")]],
      ["by position", [call(), result()]],
      ["by position, where only the call has an id", [call("c1"), result()]],
      ["by position, where only the result has an id", [call(), result("c1")]],
      ["by position, where the client gave the result another id", [call("c1"), result("r1")]],
    ])("%s", (_, messages) => {
      expect(matches(toolError, conversationOf(...messages))).toMatchObject([
        { cause: "get_order: error: order not found" },
      ]);
    });
    test("from a span with the same result", () => {
      const span = toolSpan({ result: "Error: Order not found" });
      const found = matches(toolError, { ...conversationOf(user("?"), result("r1")), toolCalls: [span] });
      expect(found).toMatchObject([{ cause: "get_order: error: order not found", evidence: [{ messageIndex: 1 }] }]);
    });
    test("but not from one of several calls or from another tool's call", () => {
      const two = { ...call("c1"), tool_calls: [...call("c1").tool_calls, ...call("c2").tool_calls] };
      expect(matches(toolError, conversationOf(two, result("r1")))[0]!.cause).toBe("tool: error: order not found");
      const named = { ...result("r1"), name: "get_user" };
      expect(matches(toolError, conversationOf(call("c1"), named))[0]!.cause).toBe("get_user: error: order not found");
    });
  });

  test("ignores a document about errors", () => {
    const page =
      "Error handling in Python\n\nUse try and except.\nValueError: raised for bad values.\nKeyError: raised for keys.";
    expect(matches(toolError, conversationOf(...called("open_page", {}, page)))).toEqual([]);
  });
});

describe("invalid_tool_arguments", () => {
  test("detects arguments that are not JSON", () => {
    const conversation = conversationOf({
      role: "assistant",
      content: "",
      tool_calls: [{ name: "f", arguments: '{"a": ' }],
    });
    expect(matches(invalidToolArguments, conversation)[0]).toMatchObject({ cause: "f: arguments are not json" });
  });
  test("detects arguments that the tool rejects", () => {
    const result = "ValidationError: 1 validation error for Input\nquery\n  Field required";
    expect(matches(invalidToolArguments, conversationOf(...called("f", {}, result)))).toHaveLength(1);
  });
  test("ignores other failures and a dict printed by a Python client", () => {
    expect(matches(invalidToolArguments, conversationOf(...called("f", {}, "Error: user not found")))).toEqual([]);
    const printed = conversationOf({
      role: "assistant",
      content: "",
      tool_calls: [{ name: "f", arguments: "{'a': None}" }],
    });
    expect(matches(invalidToolArguments, printed)).toEqual([]);
  });
});

describe("unknown_tool", () => {
  test.each(["Error: Tool 'fly' not found", "fly is not a valid tool, try one of [walk].", "Unknown function: fly"])(
    "detects %s",
    (result) => {
      expect(matches(unknownTool, conversationOf(...called("fly", {}, result)))).toHaveLength(1);
    },
  );
  test.each(["Error: user not found", "Error: invalid tool arguments"])("does not match: %s", (result) => {
    expect(matches(unknownTool, conversationOf(...called("fly", {}, result)))).toEqual([]);
  });
});

describe("tool_timeout", () => {
  test.each(["Error: request timed out after 30s", "504 Gateway Timeout", "asyncio.TimeoutError: "])(
    "detects %s",
    (result) => {
      expect(matches(toolTimeout, conversationOf(...called("f", {}, result)))).toHaveLength(1);
    },
  );
  test("ignores a setting called timeout", () => {
    expect(matches(toolTimeout, conversationOf(...called("f", {}, '{"timeout": 30}')))).toEqual([]);
  });
});

describe("tool_error_ignored", () => {
  const failed = called("book", {}, "Error: no seats left");
  test("detects success claimed despite a failure", () => {
    const [found] = matches(
      toolErrorIgnored,
      conversationOf(user("Book."), ...failed, assistant("Your seat has been booked successfully.")),
    );
    expect(found!.evidence.map(({ messageIndex }) => messageIndex)).toEqual([2, 3]);
  });
  test.each([
    ["owned up to", [...failed, assistant("I am sorry, there are no seats left, so nothing was booked.")]],
    [
      "made good",
      [
        ...failed,
        ...called("book", { row: 2 }, '{"seat": "2A"}'),
        assistant("Your seat has been booked successfully."),
      ],
    ],
    ["a question", [...failed, assistant("Shall I look for another flight that has been scheduled later?")]],
    ["the user first", [...failed, user("And?"), assistant("Your seat has been booked successfully.")]],
  ])("does not match when it is %s", (_, messages) => {
    expect(matches(toolErrorIgnored, conversationOf(user("Book."), ...messages))).toEqual([]);
  });
});
