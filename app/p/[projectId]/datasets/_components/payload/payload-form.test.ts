import { describe, expect, test } from "vitest";
import { errorsAt, placesOf } from "./errors-at";
import { emptyCall, emptyPayload, formFaults, formOf, formOfText, isSameJson, payloadOf } from "./payload-form";

const full = {
  input: {
    type: "chat",
    messages: [
      { role: "system", content: "Be brief.", name: "rules" },
      { role: "user", content: "Where is 4711?" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "a", type: "function", function: { name: "find_order", arguments: '{"id": 4711}' } }],
      },
      { role: "tool", tool_call_id: "a", content: "" },
      { role: "assistant", content: "Lost.", weight: 0 },
      { role: "user", content: "Really?" },
    ],
    tools: [{ type: "function", function: { name: "find_order", parameters: { type: "object" } } }],
  },
  expectedOutput: { type: "chat_message", message: { role: "assistant", content: "Tomorrow." }, weight: 0.5 },
  rejectedOutput: {
    type: "chat_message",
    message: {
      role: "assistant",
      tool_calls: [{ id: "b", type: "function", function: { name: "find_order", arguments: "{}" } }],
    },
  },
};

describe("the payload form", () => {
  test("converts back to the same payload, including how content was empty", () => {
    expect(payloadOf(formOf(full))).toEqual(full);
    const { rejectedOutput: _, ...plain } = {
      ...full,
      input: { type: "chat", messages: [{ role: "user", content: "Hi" }] },
    };
    expect(payloadOf(formOf(plain))).toEqual(plain);
  });

  test("starts with one user message and an empty answer", () => {
    expect(payloadOf(emptyPayload())).toEqual({
      input: { type: "chat", messages: [{ role: "user", content: "" }] },
      expectedOutput: { type: "chat_message", message: { role: "assistant", content: null } },
    });
  });

  test("reports invalid JSON and numbers at their fields", () => {
    expect(formFaults(formOf(full))).toEqual({});
    const { messages, ...rest } = emptyPayload();
    const wrong = { ...rest, messages: messages.map((message) => ({ ...message, weight: "half" })) };
    expect(formFaults({ ...wrong, tools: "[{", weight: "much" })).toEqual({
      "/input/messages/0/weight": "Enter a number from 0 to 1, or leave it empty.",
      "/input/tools": expect.stringMatching(/^This is not JSON\./),
      "/expectedOutput/weight": "Enter a number from 0 to 1, or leave it empty.",
    });
  });

  test("is read from JSON text only if nothing is lost", () => {
    expect(formOfText(JSON.stringify(full))).toHaveProperty("form.weight", "0.5");
    expect(formOfText("{")).toHaveProperty("fault", expect.stringMatching(/^This is not JSON\./));
    expect(formOfText(JSON.stringify({ ...full, metadata: { a: 1 } }))).toHaveProperty("fault");
    expect(formOfText("null")).toHaveProperty("fault");
  });

  test("gives each call a unique id", () => {
    const first = emptyCall([]);
    expect(first.id).toBe("call_1");
    expect(emptyCall([{ ...first, id: "call_2" }]).id).toBe("call_3");
  });

  test("compares JSON by content, not by the order of fields", () => {
    expect(isSameJson({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 })).toBe(true);
    expect(isSameJson([1, 2], [2, 1])).toBe(false);
  });
});

describe("problems", () => {
  test("are shown at their field, or else at the closest enclosing one", () => {
    const at = (path: string) => Object.entries(errorsAt([{ path, message: "No." }], placesOf(formOf(full))))[0];
    expect(at("/payload/input/messages/1/content")).toEqual(["/input/messages/1/content", "No."]);
    expect(at("/payload/input/messages/2/tool_calls/0/function/arguments")).toEqual([
      "/input/messages/2/tool_calls/0/function/arguments",
      "No.",
    ]);
    expect(at("/payload/input/tools/0/function/name")).toEqual(["/input/tools", "0/function/name: No."]);
    expect(at("/payload/input/messages/1/audio")).toEqual(["/input/messages/1", "audio: No."]);
    expect(at("/payload/metadata")).toEqual(["", "metadata: No."]);
    expect(at("/payload")).toEqual(["", "No."]);
    expect(at("/tags/0")).toEqual(["/tags/0", "No."]);
  });

  test("of the same field are shown on separate lines", () => {
    const path = "/payload/input/messages/1";
    const errors = [
      { path, message: "First." },
      { path, message: "Second." },
    ];
    expect(errorsAt(errors, placesOf(formOf(full)))).toEqual({ "/input/messages/1": "First.\nSecond." });
  });
});
