import { expect, test } from "vitest";
import { assemble, chat, spanOf, transcriptOf, user } from "../testing/conversations";
import { readMessages } from "./read-messages";

const said = (value: unknown, role = "assistant") =>
  readMessages(value, role).map(({ role: of, parts, toolCalls, toolCallId }) => [
    of,
    ...parts.map((part) => part.text ?? `<${part.type}>`),
    ...toolCalls.map((call) => `${call.id} ${call.name}(${call.arguments})`),
    ...(of === "tool" ? [`for ${toolCallId}`] : []),
  ]);

const DONE = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Done." }] };

test.each([
  [
    "a web search",
    [{ type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "it" } }],
    [["assistant", 'ws_1 web_search({"type":"search","query":"it"})']],
  ],
  [
    "a file search with results",
    [{ type: "file_search_call", id: "fs_1", queries: ["it"], results: [{ file_id: "f", text: "Found", score: 0.5 }] }],
    [
      ["assistant", 'fs_1 file_search({"queries":["it"]})'],
      ["tool", '[{"file_id":"f","text":"Found","score":0.5}]', "for fs_1"],
    ],
  ],
  [
    "a file search without",
    [{ type: "file_search_call", id: "fs_1", queries: ["it"], results: null }],
    [["assistant", 'fs_1 file_search({"queries":["it"]})']],
  ],
  [
    "code and its logs",
    [
      {
        type: "code_interpreter_call",
        id: "ci_1",
        code: "1+1",
        container_id: "c",
        outputs: [
          { type: "logs", logs: "2" },
          { type: "image", url: "https://x.example/a.png" },
        ],
      },
    ],
    [
      ["assistant", 'ci_1 code_interpreter({"code":"1+1"})'],
      ["tool", "2", "<image>", "for ci_1"],
    ],
  ],
  [
    "a computer's action and its screenshot",
    [
      { type: "computer_call", id: "i", call_id: "c1", action: { type: "click", x: 1 } },
      { type: "computer_call_output", call_id: "c1", output: { type: "computer_screenshot", image_url: "https://x" } },
    ],
    [
      ["assistant", 'c1 computer({"type":"click","x":1})'],
      ["tool", '{"type":"computer_screenshot","image_url":"https://x"}', "for c1"],
    ],
  ],
  [
    "an image",
    [{ type: "image_generation_call", id: "ig_1", revised_prompt: "A cat", result: "iVBOR" }],
    [
      ["assistant", 'ig_1 image_generation({"revised_prompt":"A cat"})'],
      ["tool", "<image>", "for ig_1"],
    ],
  ],
  [
    "a shell and its output",
    [
      { type: "local_shell_call", id: "i", call_id: "c1", action: { type: "exec", command: ["ls"] } },
      { type: "local_shell_call_output", call_id: "c1", output: "a.txt" },
    ],
    [
      ["assistant", 'c1 local_shell({"type":"exec","command":["ls"]})'],
      ["tool", "a.txt", "for c1"],
    ],
  ],
  [
    "a custom tool",
    [
      { type: "custom_tool_call", id: "i", call_id: "c1", name: "run_sql", input: "select 1" },
      { type: "custom_tool_call_output", call_id: "c1", output: "1" },
    ],
    [
      ["assistant", "c1 run_sql(select 1)"],
      ["tool", "1", "for c1"],
    ],
  ],
  [
    "a call that was approved",
    [
      { type: "mcp_approval_request", id: "r1", name: "pay", server_label: "bank", arguments: '{"sum":10.10}' },
      { type: "mcp_approval_response", approval_request_id: "r1", approve: true },
      {
        type: "mcp_call",
        id: "m1",
        approval_request_id: "r1",
        name: "pay",
        arguments: '{"sum":10.10}',
        output: "paid",
      },
    ],
    [
      ["assistant", 'r1 pay({"sum":10.10})'],
      ["other", "<mcp_approval_response>"],
      ["assistant", 'r1 pay({"sum":10.10})'],
      ["tool", "paid", "for r1"],
    ],
  ],
])("OpenAI's responses: %s", (_, items, expected) => {
  expect(said([...items, DONE])).toEqual([...expected, ["assistant", "Done."]]);
  expect(said([user("Find it"), ...items, user("Thanks")], "user")).toEqual([
    ["user", "Find it"],
    ...expected,
    ["user", "Thanks"],
  ]);
});

test.each([
  ["an error", { type: "mcp_call", id: "m", name: "pay", arguments: "{}", error: "no money" }, "no money"],
  ["a failed call", { type: "mcp_call", id: "m", name: "pay", arguments: "{}", status: "failed", output: "no" }, "no"],
])("%s of a tool that OpenAI runs is flagged", (_, item, text) => {
  expect(readMessages([item, DONE], "assistant")[1]).toMatchObject({
    role: "tool",
    parts: [{ type: "text", text, isError: true }],
  });
});

const BLOCKS = [
  { type: "text", text: "I'll look." },
  { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "it" } },
  { type: "web_search_tool_result", tool_use_id: "s1", content: [{ type: "web_search_result", url: "https://x" }] },
  { type: "mcp_tool_use", id: "s2", name: "lookup", server_name: "db", input: { q: "it" } },
  { type: "mcp_tool_result", tool_use_id: "s2", is_error: false, content: [{ type: "text", text: "row 7" }] },
  { type: "text", text: "Done." },
];
const OF_BLOCKS = [
  ["assistant", "I'll look.", 's1 web_search({"query":"it"})'],
  ["tool", '[{"type":"web_search_result","url":"https://x"}]', "for s1"],
  ["assistant", 's2 lookup({"q":"it"})'],
  ["tool", "row 7", "for s2"],
  ["assistant", "Done."],
];

test.each([
  ["in a message", { role: "assistant", content: BLOCKS }],
  ["as a list of parts", BLOCKS],
])("Anthropic's server tools %s are calls, each before its result", (_, sent) => {
  expect(said(sent)).toEqual(OF_BLOCKS);
});

test("an error of Anthropic's server tool is flagged", () => {
  const content = { type: "web_search_tool_result_error", error_code: "max_uses_exceeded" };
  const [message] = readMessages(
    { role: "assistant", content: [{ type: "web_search_tool_result", tool_use_id: "s1", content }] },
    "assistant",
  );
  expect(message).toMatchObject({ role: "tool", toolCallId: "s1", parts: [{ isError: true }] });
});

test.each([
  [
    "Gemini's code",
    { executableCode: { language: "PYTHON", code: "1+1" } },
    { codeExecutionResult: { outcome: "OUTCOME_OK", output: "2" } },
    [
      ["assistant", 'null code_execution({"language":"PYTHON","code":"1+1"})'],
      ["tool", "2", "for null"],
    ],
  ],
  [
    "Gemini's own tools",
    { toolCall: { id: "g1", toolType: "GOOGLE_SEARCH_WEB", args: { queries: ["it"] } } },
    { toolResponse: { id: "g1", toolType: "GOOGLE_SEARCH_WEB", response: { found: 1 } } },
    [
      ["assistant", 'g1 GOOGLE_SEARCH_WEB({"queries":["it"]})'],
      ["tool", '{"found":1}', "for g1"],
    ],
  ],
  [
    "OpenTelemetry's server tools",
    { type: "server_tool_call", id: "o1", name: "code", server_tool_call: { type: "code_interpreter", code: "1+1" } },
    { type: "server_tool_call_response", id: "o1", server_tool_call_response: { type: "code_interpreter", out: 2 } },
    [
      ["assistant", 'o1 code({"type":"code_interpreter","code":"1+1"})'],
      ["tool", '{"type":"code_interpreter","out":2}', "for o1"],
    ],
  ],
])("%s are calls with results", (_, call, result, expected) => {
  expect(said({ role: "model", parts: [call, result, { text: "Done." }] })).toEqual([
    ...expected,
    ["assistant", "Done."],
  ]);
});

test("a tool's part of the AI SDK's interface is a call with its result", () => {
  const part = {
    type: "tool-look",
    toolCallId: "c1",
    state: "output-available",
    input: { at: "Oslo" },
    output: "rain",
  };
  expect(said({ role: "assistant", parts: [part, { type: "text", text: "It rains." }] })).toEqual([
    ["assistant", 'c1 look({"at":"Oslo"})'],
    ["tool", "rain", "for c1"],
    ["assistant", "It rains."],
  ]);
});

test.each([
  ["words", { type: "compaction", id: "x", output: "I am the assistant", input: "I am the user" }],
  ["messages", { type: "agent_memory", messages: [user("I am the user")] }],
  ["a name", { type: "mcp_list_tools", server_label: "db", tools: [{ name: "lookup" }] }],
])("an item of an unknown type with %s is nobody's words", (_, item) => {
  const conversation = assemble([spanOf(chat([user("Hi"), item], "Hello!"))]);
  expect(transcriptOf(conversation)).toEqual(["user: Hi", `other: <${item.type}>`, "assistant: Hello!"]);
  expect(conversation.messages[1]?.parts).toEqual([item]);
});

test("an unknown part among known ones stays in their message", () => {
  expect(
    said(
      [
        { type: "text", text: "Read this:" },
        { type: "holograph", data: "…" },
      ],
      "user",
    ),
  ).toEqual([["user", "Read this:", "<holograph>"]]);
});

test("OpenAI's custom tools in a chat are calls", () => {
  const call = { id: "c1", type: "custom", custom: { name: "run_sql", input: "select 1" } };
  expect(said({ role: "assistant", content: null, tool_calls: [call] })).toEqual([
    ["assistant", "c1 run_sql(select 1)"],
  ]);
});
