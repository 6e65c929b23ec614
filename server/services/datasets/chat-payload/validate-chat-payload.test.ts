import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { validateChatPayload } from ".";
import { CHAT_LIMITS, chatPayload, givenChatPayload } from "./schemas";
import { call, fullPayload, smallPayload } from "./testing";

const problemsOf = (value: unknown) => {
  const result = validateChatPayload(value);
  return "problems" in result ? result.problems : [];
};
const pathsOf = (value: unknown) => problemsOf(value).map(({ path }) => path);

/** Returns a full payload with the value at a pointer replaced; `undefined` removes it. */
function changed(pointer: string, value: unknown) {
  const payload = structuredClone(fullPayload());
  const keys = pointer.split("/").slice(1);
  const last = keys.pop() as string;
  let at = payload as unknown as Record<string, unknown>;
  for (const key of keys) at = at[key] as Record<string, unknown>;
  if (value === undefined) delete at[last];
  else at[last] = value;
  return payload;
}

const withMessages = (...messages: unknown[]) => changed("/input/messages", messages);
const user = (content = "Hello") => ({ role: "user", content });
const assistant = (content = "Hi", ...calls: unknown[]) => ({
  role: "assistant",
  content,
  ...(calls.length > 0 && { tool_calls: calls }),
});
const result = (id: string, content = "done") => ({ role: "tool", tool_call_id: id, content });
const system = { role: "system", content: "Help." };

describe("accepts", () => {
  test.each<[string, unknown]>([
    ["a question and its answer", smallPayload()],
    ["every field that there is", fullPayload()],
    ["an assistant that speaks first, and twice in a row", withMessages(assistant(), assistant("Hello?"), user())],
    ["a call without content", withMessages(user(), { role: "assistant", tool_calls: [call("a")] }, result("a"))],
    ["a call beside content", withMessages(user(), assistant("Let me see.", call("a")), result("a"))],
    ["a call beside empty content", withMessages(user(), assistant("", call("a")), result("a"))],
    [
      "an id again in a later turn",
      withMessages(user(), assistant("", call("a")), result("a"), assistant("", call("a")), result("a")),
    ],
    ["no tools, so that any may be called", changed("/input/tools", undefined)],
    ["a call without arguments", changed("/expectedOutput/message/tool_calls/0/function/arguments", "{}")],
    ["weight 0", changed("/expectedOutput/weight", 0)],
    ["weight 1", changed("/expectedOutput/weight", 1)],
    ["absent fields written as undefined", { ...smallPayload(), rejectedOutput: undefined, other: undefined }],
    [
      "a weight for each earlier answer",
      withMessages(
        user(),
        { ...assistant(), weight: 0 },
        user(),
        { ...assistant(), weight: 0.5 },
        user(),
        assistant(),
        user(),
      ),
    ],
    ["2,000 messages", withMessages(...Array.from({ length: 2_000 }, () => user()))],
    ["whole characters beyond the basic plane", smallPayload("👩‍🚀 ༀ 中文", "𝒜")],
  ])("%s", (_, payload) => {
    expect(validateChatPayload(payload)).toEqual({ payload });
    expect(chatPayload.safeParse(JSON.parse(JSON.stringify(payload)))).toMatchObject({ success: true });
  });
});

describe("reports each problem by its pointer", () => {
  const NAME = "Must be 1 to 64 letters, digits, underscores or hyphens.";
  test.each<[pointer: string, value: unknown, message: string]>([
    ["/input", undefined, "Is required."],
    ["/input", [], "Must be an object."],
    ["/input/type", "text", 'Must be "chat".'],
    ["/input/messages", undefined, "Is required."],
    ["/input/messages", {}, "Must be an array."],
    ["/input/messages", [], "Has no user message. Add at least one."],
    ["/input/messages", Array(2_001).fill(user()), "Has 2001 items. Shorten it to at most 2000."],
    [
      "/input/messages/2/role",
      "human",
      "“human” is not a role. Must be one of system, developer, user, assistant, tool.",
    ],
    ["/input/messages/2/role", undefined, "Must be one of system, developer, user, assistant, tool."],
    ["/input/messages/2", "Hello", "Must be an object."],
    ["/input/messages/2/content", "", "Must be a non-empty string."],
    ["/input/messages/2/content", " \n", "Must be a non-empty string."],
    ["/input/messages/2/content", null, "Must be a non-empty string."],
    ["/input/messages/2/content", undefined, "Must be a non-empty string."],
    [
      "/input/messages/2/content",
      [{ type: "text", text: "Hi" }],
      "Must be a string. Join the text of its parts into one string; images and other parts are not supported.",
    ],
    ["/input/messages/2/name", "Ada Lovelace", NAME],
    ["/input/messages/2/tool_calls", [call("x")], "A user message has no such field. Remove it."],
    ["/input/messages/3/tool_call_id", "a", "An assistant message has no such field. Remove it."],
    ["/input/messages/3/function_call", {}, "An assistant message has no such field. Remove it."],
    ["/input/messages/3/content", 7, "Must be a non-empty string, unless the message has tool_calls."],
    ["/input/messages/3/tool_calls/0/type", "custom", 'Must be "function".'],
    ["/input/messages/3/tool_calls/0/index", 0, "Unknown field. Remove it."],
    ["/input/messages/3/tool_calls/0/function", undefined, "Is required."],
    ["/input/messages/3/tool_calls/0/function/name", "get order", NAME],
    ["/input/messages/3/tool_calls/0/function/name", "a".repeat(65), NAME],
    [
      "/input/messages/3/tool_calls/0/function/name",
      "get_orders",
      '"get_orders" is not in input.tools. Add the tool, or correct the name.',
    ],
    [
      "/input/messages/3/tool_calls/0/function/arguments",
      { orderId: 1 },
      "Must be a string that contains a JSON object. Write the arguments as JSON text.",
    ],
    [
      "/input/messages/3/tool_calls/0/function/arguments",
      undefined,
      "Must be a string that contains a JSON object. Write the arguments as JSON text.",
    ],
    [
      "/input/messages/3/tool_calls/0/function/arguments",
      "",
      'Must contain a JSON object, such as "{}" for no arguments.',
    ],
    [
      "/input/messages/3/tool_calls/0/function/arguments",
      "[1]",
      'Must contain a JSON object, such as "{}" for no arguments.',
    ],
    [
      "/input/messages/3/tool_calls/0/function/arguments",
      "null",
      'Must contain a JSON object, such as "{}" for no arguments.',
    ],
    [
      "/input/messages/3/tool_calls/0/function/arguments",
      '{"a":',
      'Must contain a JSON object, such as "{}" for no arguments.',
    ],
    ["/input/messages/5/content", null, "Must be a string. It may be empty."],
    ["/input/tools", [], "Has no tool. Leave tools out."],
    ["/input/tools", {}, "Must be an array."],
    ["/input/tools/0", null, "Must be an object."],
    ["/input/tools/0/type", "web_search", 'Must be "function".'],
    ["/input/tools/0/function/name", "", NAME],
    ["/input/tools/0/function/description", 1, "Must be a string."],
    ["/input/tools/0/function/parameters", [], "Must be an object."],
    ["/input/tools/0/function/strict", "yes", "Must be true, false or null."],
    ["/input/tools/0/function/cost", 1, "Unknown field. Remove it."],
    ["/input/temperature", 1, "Unknown field. Remove it."],
    ["/expectedOutput", undefined, "Is required."],
    ["/expectedOutput/type", "message", 'Must be "chat_message".'],
    ["/expectedOutput/message", undefined, "Is required."],
    ["/expectedOutput/message/role", "user", 'Must be "assistant".'],
    ["/expectedOutput/message/tool_calls", [], "Has no tool call. Leave tool_calls out."],
    ["/expectedOutput/weight", 1.1, "Must be a number from 0 to 1."],
    ["/expectedOutput/weight", -0.1, "Must be a number from 0 to 1."],
    ["/expectedOutput/weight", "1", "Must be a number from 0 to 1."],
    ["/input/messages/3/weight", 1.1, "Must be a number from 0 to 1."],
    ["/input/messages/3/weight", "1", "Must be a number from 0 to 1."],
    ["/input/messages/2/weight", 1, "A user message has no such field. Remove it."],
    ["/expectedOutput/message/weight", 1, "Is the weight of an earlier answer. Move it to expectedOutput.weight."],
    ["/rejectedOutput/message/weight", 1, "A rejected answer has no weight. Remove it."],
    ["/rejectedOutput", null, "Must be an object."],
    ["/rejectedOutput/weight", 1, "Unknown field. Remove it."],
    ["/rejectedOutput/message/content", "", "Must be a non-empty string, unless the message has tool_calls."],
    ["/metadata", {}, "Unknown field. Remove it."],
    ["/a~1b", 1, "Unknown field. Remove it."],
  ])("%s = %j", (pointer, value, message) => {
    const at = pointer === "/a~1b" ? { ...fullPayload(), "a/b": value } : changed(pointer, value);
    expect(problemsOf(at)).toContainEqual({ path: pointer, message });
  });

  test("and nothing else when the rest is valid", () => {
    expect(pathsOf(changed("/input/messages/2/content", ""))).toEqual(["/input/messages/2/content"]);
    expect(pathsOf(changed("/input/messages/3/tool_calls/0/function/arguments", 1))).toHaveLength(1);
    expect(pathsOf(changed("/input/tools/0/function/name", "not a name"))).toEqual(["/input/tools/0/function/name"]);
    expect(pathsOf(changed("/input/messages/3", 1))).toEqual(["/input/messages/3"]);
    expect(pathsOf(changed("/input/messages/3/tool_calls", 1))).toEqual(["/input/messages/3/tool_calls"]);
    expect(pathsOf(changed("/input/messages/4/tool_call_id", 1))).toEqual(["/input/messages/4/tool_call_id"]);
  });

  test("all of them together", () => {
    const payload = changed("/input/messages/0/content", "");
    Object.assign(payload.expectedOutput, { weight: 7, note: "" });
    expect(pathsOf(payload)).toEqual(["/input/messages/0/content", "/expectedOutput/note", "/expectedOutput/weight"]);
  });

  test("at most 100", () => {
    expect(problemsOf(withMessages(...Array(500).fill({ role: "user", content: "", extra: 1 })))).toHaveLength(100);
    expect(problemsOf(withMessages(...Array(500).fill("\0")))).toHaveLength(100);
    expect(problemsOf(Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`x${n}`, n])))).toHaveLength(100);
  });
});

describe("checks the order of messages", () => {
  const calls = assistant("", call("a"), call("b"));
  test.each<[string, unknown[], [path: string, message: RegExp][]]>([
    ["no user", [system, assistant("", call("a")), result("a")], [["", /no user message/]]],
    ["an answer at the end", [user(), assistant()], [["/1", /Move the answer to expectedOutput/]]],
    [
      "only instructions after the user",
      [user(), system],
      [
        ["/1/role", /Move this system message before/],
        ["/1", /must be a user's/],
      ],
    ],
    [
      "a developer message after a tool's",
      [calls, result("a"), result("b"), { ...system, role: "developer" }, user()],
      [["/3/role", /Move this developer message/]],
    ],
    ["a call without result", [user(), calls, result("b"), user()], [["/1/tool_calls/0", /Has no result/]]],
    ["a call without result at the end", [user(), calls, result("a")], [["/1/tool_calls/1", /Has no result/]]],
    [
      "a result after the next message",
      [assistant("", call("a")), user(), result("a")],
      [
        ["/0/tool_calls/0", /Has no result/],
        ["/2", /no call to answer/],
      ],
    ],
    ["a result without a call", [user(), result("a")], [["/1", /no call to answer/]]],
    [
      "a result after an answer without calls",
      [user(), assistant(), result("a")],
      [["/2/tool_call_id", /Matches no call/]],
    ],
    ["an unknown id", [user(), calls, result("a"), result("b"), result("c")], [["/4/tool_call_id", /Matches no call/]]],
    [
      "a call with two results",
      [user(), assistant("", call("a")), result("a"), result("a")],
      [["/3/tool_call_id", /already has its result/]],
    ],
    [
      "two calls with one id",
      [user(), assistant("", call("a"), call("a")), result("a")],
      [["/1/tool_calls/1/id", /Another call/]],
    ],
    [
      "an id of an earlier turn",
      [user(), assistant("", call("a")), result("a"), assistant("", call("b")), result("a")],
      [
        ["/4/tool_call_id", /Matches no call/],
        ["/3/tool_calls/0", /Has no result/],
      ],
    ],
    [
      "an empty id",
      [user(), assistant("", call("")), user()],
      [
        ["/1/tool_calls/0/id", /1 to 256 characters/],
        ["/1/tool_calls/0", /Has no result/],
      ],
    ],
  ])("%s", (_, messages, expected) => {
    const problems = problemsOf(withMessages(...messages));
    expect(problems.map(({ path }) => path)).toEqual(expected.map(([path]) => `/input/messages${path}`));
    for (const [index, [, message]] of expected.entries()) expect(problems[index]?.message).toMatch(message);
  });

  test("two tools with one name", () => {
    const [tool] = fullPayload().input.tools ?? [];
    expect(pathsOf(changed("/input/tools", [tool, tool]))).toEqual(["/input/tools/1/function/name"]);
  });
});

describe("compares the rejected answer with the expected one", () => {
  const pair = (expected: object, rejected: object) => ({
    ...smallPayload(),
    expectedOutput: { type: "chat_message", message: { role: "assistant", ...expected } },
    rejectedOutput: { type: "chat_message", message: { role: "assistant", ...rejected } },
  });
  const same = ["/rejectedOutput/message"];
  test.each<[object, object, string[]]>([
    [{ content: "Yes" }, { content: "Yes" }, same],
    [{ content: "Yes" }, { content: " Yes\n" }, same],
    [{ content: "Yes" }, { content: "yes" }, []],
    [{ content: null, tool_calls: [call("a")] }, { content: "", tool_calls: [call("a")] }, same],
    [{ content: "Yes" }, { content: "Yes", tool_calls: [call("a")] }, []],
    [{ tool_calls: [call("a", "x")] }, { tool_calls: [call("a", "y")] }, []],
  ])("%j and %j", (expected, rejected, paths) => {
    expect(pathsOf(pair(expected, rejected))).toEqual(paths);
  });
});

describe("refuses what cannot be stored", () => {
  test.each<[string, string, unknown, RegExp]>([
    ["NUL", "/input/messages/0/content", "a\0b", /U\+0000/],
    ["half a pair", "/input/messages/0/content", "a\ud83d", /lone surrogate/],
    ["half a pair in a tool", "/input/tools/0/function/parameters/title", "\udc00", /lone surrogate/],
    ["a forbidden name", "/input/tools/0/function/parameters/__proto__", 1, /not allowed/],
    ["a date", "/input/tools/0/function/parameters/since", new Date(0), /Is not JSON/],
    ["infinity", "/expectedOutput/weight", Number.POSITIVE_INFINITY, /Is not JSON/],
  ])("%s", (_, pointer, value, message) => {
    const payload = changed(pointer, value);
    if (pointer.endsWith("__proto__")) {
      const parameters = payload.input.tools?.[0]?.function.parameters as object;
      Object.defineProperty(parameters, "__proto__", { value, enumerable: true });
    }
    expect(problemsOf(payload)).toEqual([{ path: pointer, message: expect.stringMatching(message) }]);
  });

  test("a field name that is not valid text, reported at its object", () => {
    const problems = problemsOf({ ...smallPayload(), "\ud800": 1 });
    expect(problems).toEqual([{ path: "", message: "Has a field whose name is not valid text. Rename the field." }]);
  });

  test("more than 1 MiB as JSON, to the byte", () => {
    const sized = (bytes: number, letter: string) => {
      const { length } = Buffer.from(JSON.stringify(letter).slice(1, -1));
      const around = Buffer.byteLength(JSON.stringify(smallPayload("", "x")));
      const count = Math.floor((bytes - around) / length);
      return smallPayload(letter.repeat(count) + "x".repeat(bytes - around - count * length), "x");
    };
    for (const letter of ["x", "é", "\n", "\u0001", "😀"]) {
      expect(pathsOf(sized(CHAT_LIMITS.payloadBytes, letter))).toEqual([]);
      expect(problemsOf(sized(CHAT_LIMITS.payloadBytes + 1, letter))).toEqual([
        { path: "", message: expect.stringMatching(/^Is larger than 1 MiB as JSON/) },
      ]);
    }
  });

  test("cycles, and getters that throw", () => {
    const cycle: Record<string, unknown> = {};
    cycle.left = cycle;
    cycle.right = cycle;
    const [problem] = problemsOf(changed("/input/tools/0/function/parameters", cycle));
    expect(problem?.message).toMatch(/nested deeper than 64 levels/);
    const hostile = {
      get input() {
        throw new Error("no");
      },
    };
    expect(pathsOf(hostile)).toEqual([""]);
  });
});

describe("any given value", () => {
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withObjectString: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
    stringUnit: "binary",
  });

  test("never throws, and its problems are sentences", () => {
    fc.assert(
      fc.property(anything, (value) => {
        const problems = problemsOf(value);
        expect(problems.length).toBeGreaterThan(0);
        expect(problems.length).toBeLessThanOrEqual(CHAT_LIMITS.problems);
        for (const { message } of problems) expect(message).toMatch(/^[A-Z"].*\.$/);
      }),
      { numRuns: 500 },
    );
  });

  /** Every pointer into a full payload. */
  const pointers: string[] = [];
  const collect = (value: unknown, at: string) => {
    if (at) pointers.push(at);
    if (typeof value === "object" && value !== null) {
      for (const [key, inner] of Object.entries(value)) collect(inner, `${at}/${key}`);
    }
  };
  collect(fullPayload(), "");

  test("never throws anywhere in a payload, and an accepted payload has the documented shape", () => {
    fc.assert(
      fc.property(fc.constantFrom(...pointers), anything, (pointer, value) => {
        const validated = validateChatPayload(changed(pointer, value));
        if ("payload" in validated) {
          expect(chatPayload.safeParse(JSON.parse(JSON.stringify(validated.payload))).success).toBe(true);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

test("operations document the payload that they accept", () => {
  expect(z.toJSONSchema(givenChatPayload, { io: "input" })).toEqual(z.toJSONSchema(chatPayload, { io: "input" }));
  expect(givenChatPayload.parse({ any: "thing" })).toEqual({ any: "thing" });
});

test("50,000 small payloads are validated in less than a second of CPU time", () => {
  const payloads = Array.from({ length: 50_000 }, (_, n) => smallPayload(`Where is order ${n}?`));
  const before = process.cpuUsage();
  for (const payload of payloads) validateChatPayload(payload);
  const { user: spent, system: kernel } = process.cpuUsage(before);
  expect((spent + kernel) / 1_000_000).toBeLessThan(1);
});
