import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { validateChatPayload } from "../chat-payload";
import { preview, problemsOf, readAll } from "./testing";
import type { ChatMessage, ExampleRow, ReadItem } from "./types";

const bytesOf = (name: string) => readFileSync(path.join(import.meta.dirname, "foreign-files", name));
const user = (content: string): ChatMessage => ({ role: "user", content });
const assistant = (content: string): ChatMessage => ({ role: "assistant", content });
const calling = (id: string, args: string): ChatMessage => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id, type: "function", function: { name: "find_order", arguments: args } }],
});
const result = (id: string, content: string): ChatMessage => ({ role: "tool", content, tool_call_id: id });
const TOOLS = [
  {
    type: "function",
    function: {
      name: "find_order",
      description: "Finds an order",
      parameters: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
    },
  },
];

function example(messages: ChatMessage[], message: ChatMessage, tools?: unknown[]): ExampleRow {
  const input = { type: "chat" as const, messages, ...(tools && { tools }) };
  return { payload: { input, expectedOutput: { type: "chat_message", message } } };
}

const SYSTEM: ChatMessage = { role: "system", content: "You are the support agent of “Brücke & Söhne”. Be brief." };
const ARGUMENTS = '{"order":"A-7","note":"say \\"hi\\""}';
const TOOL_CHAT = [SYSTEM, user("Where is A-7?"), calling("call_9f", ARGUMENTS), result("call_9f", '{"state":"sent"}')];
const ON_ITS_WAY = assistant('A-7 is on its way. 📦\nSay "hi".');

const draftsOf = (items: readonly ReadItem[]) =>
  items.flatMap((item) => {
    if (item.kind !== "draft") return [];
    const { line: _, ...draft } = item.draft;
    return [draft];
  });
const errorsOf = (items: readonly ReadItem[]) => items.flatMap((item) => (item.kind === "error" ? [item.message] : []));

async function read(name: string) {
  const bytes = bytesOf(name);
  const [{ format }, items] = [await preview(bytes), await readAll(bytes)];
  const drafts = draftsOf(items);
  for (const { payload } of drafts) expect(validateChatPayload(payload)).toEqual({ payload });
  return { format, drafts, errors: errorsOf(items) };
}

const NO_ANSWER = "Has no answer to learn from";
const ARCHIVED = "Is archived in Langfuse";
const OBJECT = "input: is an object of country, which is not a chat";

describe("Langfuse dataset items", () => {
  const ITEMS = {
    "item-plain": example(
      [user("Wo ist meine Bestellung, 注文はどこ? 📦\nLine two, with \"quotes\", commas; and 'apostrophes'")],
      assistant('Sie ist unterwegs.\n\nTracking: "DE-42"'),
    ),
    "item-chatml": example([SYSTEM, user('Is it "late"?\r\nPlease say.')], assistant("No, it comes today.")),
    "item-tools": example(TOOL_CHAT, assistant("A-7 is on its way."), TOOLS),
    "item-list": example([SYSTEM, user("Part one. Part two.")], assistant("Both seen.")),
    "item-call": example([user("Find A-7")], calling("call_9f", ARGUMENTS)),
    "item-completion": example([user("Hi")], assistant("Hello.")),
    "item-json-text": example([user('{"country": "Italy"}')], assistant('["Rome"]')),
    "item-quoted": example([user('"Quoted"')], assistant("42")),
    "item-number": example([user("What is 6 * 7?")], assistant("42")),
  };
  const expected = Object.entries(ITEMS).map(([externalRef, row]) => ({ ...row, externalRef }));
  // A cell does not show whether it was an object or a string that contains JSON.
  const object = {
    ...example([user('{"country":"Italy"}')], assistant('{"capital":"Rome"}')),
    externalRef: "item-object",
  };

  it.each([
    ["langfuse-items.json", expected, [NO_ANSWER, OBJECT, ARCHIVED]],
    ["langfuse-items.jsonl", expected, [NO_ANSWER, OBJECT, ARCHIVED]],
    ["langfuse-items.csv", [...expected, object], [NO_ANSWER, ARCHIVED]],
    ["langfuse-3.156-items.csv", [...expected, object], [NO_ANSWER, ARCHIVED]],
    ["langfuse-api-items.json", expected, [NO_ANSWER, OBJECT]],
  ])("are read from %s, and each of the others has a reason", async (name, drafts, errors) => {
    expect(await read(name)).toEqual({ format: "langfuse", drafts, errors });
  });

  it("are read from the first of two replies in one file, and the second is an error", async () => {
    const reply = JSON.stringify(JSON.parse(bytesOf("langfuse-api-items.json").toString()), null, 2);
    const items = await readAll(`${reply}\n${reply}`);
    expect(items.find(({ kind }) => kind === "draft")).toMatchObject({ line: 3 });
    expect(draftsOf(items)).toEqual(expected);
    expect(errorsOf(items)).toEqual([NO_ANSWER, OBJECT, "Comes after the array, and is ignored"]);
  });

  it("are refused in an export of a run's items", async () => {
    await expect(readAll(bytesOf("langfuse-run-items.csv"))).rejects.toThrow("choose one");
  });
});

describe("Langfuse traces and observations", () => {
  const rows = [
    ["tools", example(TOOL_CHAT, ON_ITS_WAY, TOOLS)],
    ["plain", example([user('Wo ist "A-7"?\nBitte.')], assistant("Unterwegs."))],
    ["list", example(TOOL_CHAT, ON_ITS_WAY)],
  ] as const;
  const traces = rows.map(([name, row]) => ({ ...row, tags: ["vip", "de"], externalRef: `trace-${name}` }));
  const observations = rows.map(([name, row]) => ({ ...row, externalRef: `gen-${name}` }));

  it.each([
    ["langfuse-traces.csv", traces],
    ["langfuse-3.156-traces.csv", traces],
    ["langfuse-traces.json", traces],
    ["langfuse-observations.csv", observations],
    ["langfuse-observations.jsonl", observations],
  ])("are read from %s, including chats stored as text", async (name, drafts) => {
    expect(await read(name)).toEqual({ format: "langfuse", drafts, errors: [NO_ANSWER] });
  });
});

describe("OpenPipe", () => {
  const args = '{"order": "A-7"}';

  it("exports a Dataset as two files without a split in their rows", async () => {
    expect(await read("openpipe-train.jsonl")).toEqual({
      format: "columns",
      drafts: [
        example([user("Where?\nThere?")], calling("call_1", args), TOOLS),
        example(
          [
            { role: "system", content: "Be “brief”." },
            user("Find A-7"),
            calling("call_1", args),
            result("call_1", '{"state":"sent"}'),
          ],
          assistant("It is sent."),
          TOOLS,
        ),
        example(TOOL_CHAT, ON_ITS_WAY, TOOLS),
      ],
      errors: [],
    });
    expect(problemsOf(await readAll(bytesOf("openpipe-train.jsonl")))).toEqual([
      "1 warning: “input.function_call” is ignored: an Example has no field for it",
      "1 warning: “input.tool_choice” is ignored: an Example has no field for it",
    ]);
    const test = await read("openpipe-test.jsonl");
    expect(test.drafts).toEqual([example([user("注文はどこ?")], assistant("向かっています。"))]);
  });

  it("exports request logs, which are read with OpenAI's responses and their errors", async () => {
    const { tool_calls: [call] = [] } = calling("call_1", args);
    expect(await read("openpipe-request-logs.jsonl")).toEqual({
      format: "openpipe",
      drafts: [
        example(TOOL_CHAT, ON_ITS_WAY, TOOLS),
        example(
          [{ role: "system", content: "Be brief." }, user("Wo ist „A-7“?")],
          { role: "assistant", content: null, tool_calls: [call!, { ...call!, id: "call_2" }] },
          TOOLS,
        ),
        example(
          [user("Find A-7"), calling("call_1", args), { ...result("call_1", "sent"), name: "find_order" }],
          assistant("Sent."),
          TOOLS,
        ),
        example([user("Same")], assistant("Twice")),
      ],
      errors: ["expectedOutput: is an object of error, which is not an answer"],
    });
  });
});
