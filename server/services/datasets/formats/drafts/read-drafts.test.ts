import { ByteWriter, ParquetWriter, parquetWriteBuffer, schemaFromColumnData } from "hyparquet-writer";
import { describe, expect, it } from "vitest";
import { type ExampleRow, UnreadableFile } from "..";
import { examplesOf, preview, problemsOf, readAll } from "../testing";

const jsonl = (...rows: unknown[]) => rows.map((row) => JSON.stringify(row)).join("\n");
const USER = { role: "user", content: "Where is my order?" };
const ASSISTANT = { role: "assistant", content: "On its way." };
const WORSE = { role: "assistant", content: "I don't know." };
const CHAT = {
  payload: {
    input: { type: "chat", messages: [USER] },
    expectedOutput: { type: "chat_message", message: ASSISTANT },
  },
};
const PAIR = { payload: { ...CHAT.payload, rejectedOutput: { type: "chat_message", message: WORSE } } };
const TOOLS = [{ type: "function", function: { name: "find_order", parameters: { type: "object" } } }];

describe("JSONL", () => {
  it.each([
    ["OpenAI messages", { messages: [USER, ASSISTANT] }, CHAT],
    ["prompt and completion as text", { prompt: USER.content, completion: ASSISTANT.content }, CHAT],
    ["prompt and completion as messages", { prompt: [USER], completion: [ASSISTANT] }, CHAT],
    ["prompt, chosen and rejected", { prompt: USER.content, chosen: ASSISTANT.content, rejected: WORSE.content }, PAIR],
    ["chosen and rejected that each hold the prompt", { chosen: [USER, ASSISTANT], rejected: [USER, WORSE] }, PAIR],
    ["a prompt repeated in chosen", { prompt: USER.content, chosen: [USER, ASSISTANT], rejected: [USER, WORSE] }, PAIR],
    [
      "OpenAI preferences",
      { input: { messages: [USER] }, preferred_output: [ASSISTANT], non_preferred_output: [WORSE] },
      PAIR,
    ],
    [
      "ShareGPT",
      {
        conversations: [
          { from: "human", value: USER.content },
          { from: "gpt", value: ASSISTANT.content },
        ],
      },
      CHAT,
    ],
    ["OpenPipe", { messages: [USER, ASSISTANT], rejected_message: WORSE, split: "TRAIN" }, { ...PAIR, split: "train" }],
    [
      "OpenPipe's older form",
      { input: { messages: [USER] }, output: ASSISTANT, split: "TEST" },
      { ...CHAT, split: "test" },
    ],
    [
      "a payload of ours",
      { id: "ex_1", ...PAIR, tags: ["a, b"], split: "test" },
      { id: "ex_1", ...PAIR, tags: ["a, b"], split: "test" },
    ],
    [
      "Alpaca",
      { instruction: "Where is", input: "my order?", output: ASSISTANT.content },
      {
        payload: {
          ...CHAT.payload,
          input: { type: "chat", messages: [{ role: "user", content: "Where is\n\nmy order?" }] },
        },
      },
    ],
  ])("reads %s", async (_, row, example) => {
    expect(await examplesOf(jsonl(row))).toEqual([example]);
  });

  it("reads tools, calls without ids and their results, and the weight of the answer", async () => {
    const call = { type: "function", function: { name: "find_order", arguments: { id: 7 } } };
    const [example] = await examplesOf(
      jsonl({
        messages: [
          USER,
          { role: "assistant", tool_calls: [{ ...call, id: "" }] },
          { role: "tool", name: "find_order", content: "sent" },
          { ...ASSISTANT, weight: 1 },
        ],
        functions: [TOOLS[0]?.function],
      }),
    );
    expect(example?.payload).toEqual({
      input: {
        type: "chat",
        messages: [
          USER,
          {
            role: "assistant",
            content: null,
            tool_calls: [{ id: "call_1", type: "function", function: { name: "find_order", arguments: '{"id":7}' } }],
          },
          { role: "tool", content: "sent", tool_call_id: "call_1", name: "find_order" },
        ],
        tools: TOOLS,
      },
      expectedOutput: { type: "chat_message", message: ASSISTANT, weight: 1 },
    });
  });

  it("reads ShareGPT's calls and observations", async () => {
    const [example] = await examplesOf(
      jsonl({
        system: "Be brief.",
        conversations: [
          { from: "human", value: USER.content },
          { from: "function_call", value: '{"name":"find_order","arguments":{"id":7}}' },
          { from: "observation", value: "sent" },
          { from: "gpt", value: ASSISTANT.content },
        ],
        tools: JSON.stringify(TOOLS),
      }),
    );
    expect(example?.payload.input.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool"]);
    expect(example?.payload.input.tools).toEqual(TOOLS);
  });

  it.each([
    ["false", { prompt: USER.content, completion: WORSE.content, label: false }],
    ["0", { prompt: [USER], completion: [WORSE], label: "0" }],
  ])("reads KTO's label %s as an answer that is only rejected", async (_label, row) => {
    const [example] = await examplesOf(jsonl(row));
    const answer = { type: "chat_message", message: WORSE };
    expect(example?.payload).toEqual({
      input: { type: "chat", messages: [USER] },
      expectedOutput: { ...answer, weight: 0 },
      rejectedOutput: answer,
    });
  });

  it("reads roles in any case, and tools of spaces as none", async () => {
    const roles = [
      { role: "User", content: USER.content },
      { from: " GPT ", value: ASSISTANT.content },
    ];
    for (const tools of [" ", "", "null", [], "[]"]) {
      expect(await examplesOf(jsonl({ messages: roles, tools, system: " " }))).toMatchObject([CHAT]);
    }
    const [example] = await examplesOf(jsonl({ conversations: roles, tools: "\n" }));
    expect(example?.payload.input).not.toHaveProperty("tools");
  });

  it("says what is wrong with roles, empty conversations and what Python printed", async () => {
    const printed = "[{'role': 'user', 'content': \"it's\"}, {'role': 'assistant', 'content': 'ok'}]";
    const items = await readAll(
      jsonl(
        { messages: [{ role: "Customer", content: "q" }, ASSISTANT] },
        { messages: [] },
        { conversations: [] },
        { messages: " " },
        { messages: "hello" },
        { messages: printed },
        { prompt: printed, completion: "ok" },
        { messages: JSON.stringify([USER, ASSISTANT]) },
      ),
    );
    expect(problemsOf(items)).toEqual([
      "1 error: messages[0]: has the unknown role “Customer” (system, developer, user, assistant, tool are known)",
      "2 error: messages: is empty",
      "3 error: messages: is empty",
      "4 error: messages: is empty",
      "5 error: messages: is not JSON",
      expect.stringContaining("6 error: messages: is not JSON"),
      expect.stringContaining("7 error: prompt: is not JSON"),
    ]);
    expect(items.flatMap((item) => (item.kind === "draft" ? item.draft : []))).toMatchObject([CHAT]);
    const rows = await readAll(`messages\n"${printed.replaceAll('"', '""')}"\n`, { kind: "csv" });
    expect(problemsOf(rows)).toEqual([expect.stringContaining("2 error: messages: is not JSON")]);
  });

  it("reports each bad line with its number, text and reason, and reads the others", async () => {
    const items = await readAll(
      `${jsonl({ messages: [USER, ASSISTANT] })}\n{"messages": [\n\n[1]\n${jsonl(
        { question: 1 },
        { messages: [USER] },
        { messages: [{ role: "user", content: [{ type: "image_url", image_url: {} }] }, ASSISTANT] },
        { prompt: "a", completion: "b", label: false },
        { prompt: "a", completion: "b", label: true },
      )}`,
    );
    expect(items.map(({ kind, line }) => `${line} ${kind}`)).toEqual([
      "1 draft",
      "2 error",
      "4 error",
      "5 error",
      "6 error",
      "7 error",
      "8 draft",
      "9 draft",
    ]);
    expect(problemsOf(items)).toEqual([
      expect.stringContaining("2 error: Is not JSON"),
      "4 error: Is not a JSON object",
      "5 error: Is in an unknown format: no conversation and no answer among its keys (question)",
      "6 error: messages: does not end with the assistant's message",
      "7 error: messages[0]: the content has a part that is not text (image_url)",
    ]);
    expect(items[1]).toMatchObject({ raw: '{"messages": [' });
  });

  it("reports a line of more than 3 MiB as an error, and reads the next", async () => {
    const long = jsonl({ messages: [{ role: "user", content: "x".repeat(3_200_000) }, ASSISTANT] });
    const items = await readAll(`${long}\n${jsonl({ messages: [USER, ASSISTANT] })}`);
    expect(items).toMatchObject([
      { kind: "error", line: 1, message: expect.stringContaining("longer than 3 MiB"), rawTruncated: true },
      { kind: "draft", line: 2 },
    ]);
  });

  it("removes NUL and lone surrogates, with one warning", async () => {
    const row = { messages: [{ role: "user", content: "a\0b\ud800c🦊" }, ASSISTANT] };
    const items = await readAll(jsonl(row, row));
    expect(items.map(({ kind }) => kind)).toEqual(["warning", "draft", "draft"]);
    expect(items[2]).toMatchObject({ draft: { payload: { input: { messages: [{ content: "abc🦊" }] } } } });
  });

  it("keeps the weight of each answer, whatever JSON it is written as", async () => {
    const conversation = [
      { ...USER, weight: 1 },
      { ...WORSE, weight: 0 },
      USER,
      { ...WORSE, weight: 0.5 },
      USER,
      WORSE,
      USER,
      { ...WORSE, weight: true },
      USER,
      { ...ASSISTANT, weight: 0.25 },
    ];
    const [item] = await readAll(jsonl({ messages: conversation }));
    expect(item).toMatchObject({ kind: "draft" });
    const { input, expectedOutput } = (item as { draft: ExampleRow }).draft.payload;
    expect(input.messages).toEqual([
      USER,
      { ...WORSE, weight: 0 },
      USER,
      { ...WORSE, weight: 0.5 },
      USER,
      WORSE,
      USER,
      { ...WORSE, weight: 1 },
      USER,
    ]);
    expect(expectedOutput).toEqual({ type: "chat_message", message: ASSISTANT, weight: 0.25 });
  });

  it("warns once about each key that is not kept", async () => {
    const row = {
      messages: [{ ...USER, mood: "bad" }, WORSE, USER, ASSISTANT],
      metadata: { a: 1 },
      parallel_tool_calls: true,
    };
    expect(problemsOf(await readAll(jsonl(row, row)))).toEqual([
      "1 warning: “metadata” is ignored: an Example has no field for it",
      "1 warning: “parallel_tool_calls” is ignored: an Example has no field for it",
      "1 warning: “mood” of a message is ignored",
    ]);
    expect(
      problemsOf(await readAll(jsonl({ prompt: "a", completion: "b", note: 1 }), { mapping: { note: "ignore" } })),
    ).toEqual([]);
  });

  it("survives a `__proto__` key and very deep nesting", async () => {
    const items = await readAll(
      `{"__proto__": {"messages": []}, "prompt": "a", "completion": "b"}\n{"prompt": ${"[".repeat(50_000)}${"]".repeat(50_000)}, "completion": "b"}`,
    );
    expect(items.at(-1)).toMatchObject({ kind: "error", line: 2, message: "input[0]: is a list, not a message" });
    expect(items.find(({ kind }) => kind === "draft")).toMatchObject({ line: 1 });
    expect(Object.prototype).not.toHaveProperty("messages");
  });
});

describe("a JSON array", () => {
  it("gives its elements their lines, pretty-printed or not", async () => {
    const text = `\ufeff${JSON.stringify([{ messages: [{ role: "user", content: 'a "]}, \\' }, ASSISTANT] }, { prompt: "a" }], null, 2)}\n`;
    const items = await readAll(text);
    expect(items).toMatchObject([
      { kind: "draft", line: 2 },
      { kind: "error", line: 14, raw: '{\n    "prompt": "a"\n  }' },
    ]);
  });

  it("is reported as cut off when its closing bracket is missing", async () => {
    const items = await readAll(`[${jsonl({ prompt: "a", completion: "b" })},\n{"prompt": "a`);
    expect(problemsOf(items)).toEqual([
      expect.stringContaining("2 error: Is not JSON"),
      "1 error: The array has no closing bracket: the file may have been cut off",
    ]);
  });
});

describe("Langfuse's export of dataset items", () => {
  const item = {
    id: "item-1",
    datasetId: "d",
    status: "ACTIVE",
    input: { messages: [USER] },
    expectedOutput: ASSISTANT.content,
    metadata: null,
    sourceTraceId: null,
    htmlSourcePath: "",
  };
  const imported = { ...CHAT, externalRef: "item-1" };

  it("is read from JSON, without archived items and inputs that are not a chat", async () => {
    const items = await readAll(
      JSON.stringify([item, { ...item, status: "ARCHIVED" }, { ...item, input: { country: "Italy" } }]),
    );
    expect(items[1]).toMatchObject({ kind: "draft", draft: imported });
    expect(problemsOf(items).slice(1)).toEqual([
      "1 error: Is archived in Langfuse",
      "1 error: input: is an object of country, which is not a chat",
    ]);
  });

  it.each([
    ["texts as they are", (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value))],
    ["texts as JSON", (value: unknown) => JSON.stringify(value)],
  ])("is read from CSV with %s", async (_, write) => {
    const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
    const rows = [item, { ...item, status: "ARCHIVED" }].map((row) =>
      Object.values(row).map((value) => quote(write(value ?? ""))),
    );
    const csv = [Object.keys(item).map(quote), ...rows].map((cells) => cells.join(",")).join("\n");
    const items = await readAll(`${csv}\n`);
    expect(items.find(({ kind }) => kind === "draft")).toMatchObject({ draft: imported });
    expect(problemsOf(items)).toContain("3 error: Is archived in Langfuse");
  });
});

describe("CSV", () => {
  it("reads a byte order mark, CRLF and quoted line ends, and gives bad rows their lines", async () => {
    const items = await readAll(
      '\ufeffQuestion;Answer;Notes\r\n"two\r\nlines";"say ""hi""";x\r\n\r\nonly;two;three;four\r\na;"b"c;d\r\n"{""a"": 1}";[draft];\r\n',
    );
    expect(items).toMatchObject([
      { kind: "warning", line: 2 },
      {
        kind: "draft",
        line: 2,
        draft: {
          payload: {
            input: { messages: [{ role: "user", content: "two\r\nlines" }] },
            expectedOutput: { message: { content: 'say "hi"' } },
          },
        },
      },
      { kind: "error", line: 5, message: "Has 4 cells, but the header has 3", raw: "only;two;three;four" },
      { kind: "error", line: 6, message: expect.stringContaining("Is not CSV") },
      {
        kind: "draft",
        line: 7,
        draft: {
          payload: {
            input: { messages: [{ content: '{"a": 1}' }] },
            expectedOutput: { message: { content: "[draft]" } },
          },
        },
      },
    ]);
  });

  it("reads columns by a mapping, and leaves out those marked “ignore”", async () => {
    const csv = "what,why,bad,who\nWhere is my order?,On its way.,I don't know.,me\n";
    const mapping = { what: "input", why: "expectedOutput", bad: "rejectedOutput", who: "ignore" } as const;
    expect(await readAll(csv, { mapping })).toMatchObject([{ kind: "draft", draft: PAIR }]);
    await expect(readAll(csv)).rejects.toThrow(UnreadableFile);
  });

  it("continues after a row that is too long, and reports a quote that is never closed", async () => {
    const items = await readAll(`prompt,completion\n${"x".repeat(3_200_000)},a\nb,c\n"d,e\nf,g\n`);
    expect(items.map(({ kind, line }) => `${line} ${kind}`)).toEqual(["2 error", "3 draft", "4 error"]);
  });

  it("reads every row of a file larger than one chunk", async () => {
    const cell = 'quoted, with\nlines and ""quotes"" '.repeat(20);
    const row = `"${cell}",answer\r\n`;
    const items = await readAll(`prompt,completion\r\n${row.repeat(5_000)}`);
    expect(items).toHaveLength(5_000);
    expect(items.every(({ kind }) => kind === "draft")).toBe(true);
    expect(items.at(-1)?.line).toBe(2 + 4_999 * 21);
  });
});

describe("Parquet", () => {
  it("reads text and JSON columns, and numbers rows", async () => {
    const file = parquetWriteBuffer({
      columnData: [
        { name: "messages", data: [[USER, ASSISTANT], null], type: "JSON" },
        { name: "score", data: [1n, 2n], type: "INT64" },
      ],
    });
    const items = await readAll(new Uint8Array(file));
    expect(items).toMatchObject([
      { kind: "warning", line: 1, message: expect.stringContaining("score") },
      { kind: "draft", line: 1, draft: CHAT },
      { kind: "error", line: 2, message: "Has no answer to learn from" },
    ]);
  });

  it("reads a file with any damaged byte to its end, or refuses it", async () => {
    const data = Array.from({ length: 200 }, (_, index) => `text ${index % 7}`);
    const file = new Uint8Array(
      parquetWriteBuffer({
        columnData: ["prompt", "completion"].map((name) => ({ name, data, type: "STRING" as const })),
      }),
    );
    for (let at = 0; at < file.length; at++) {
      const damaged = file.slice();
      damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8));
      await readAll(damaged).catch((error: unknown) => {
        if (!(error instanceof UnreadableFile)) throw error;
      });
    }
  });
});

describe("a file from which nothing can be read", () => {
  it.each([
    ["is empty", "", "empty"],
    ["is blank", " \n ", "empty"],
    ["is compressed", new Uint8Array([0x1f, 0x8b, 8, 0]), "unpack it"],
    ["is a spreadsheet", "PK\u0003\u0004", "save it as CSV"],
    ["is UTF-16", new Uint8Array([0xff, 0xfe, 0x61, 0]), "UTF-8"],
    ["is cut-off Parquet", "PAR1 and no footer", "footer"],
    ["has no column with an answer", "a,b\n1,2\n", "choose one"],
  ])("is refused with advice when it %s", async (_, content, advice) => {
    await expect(readAll(content)).rejects.toThrow(advice);
    await expect(readAll(content)).rejects.toBeInstanceOf(UnreadableFile);
  });
});

describe("the preview", () => {
  it("guesses the format and the mapping, and shows ten rows with all their problems", async () => {
    const rows = Array.from({ length: 30 }, (_, index) => `q${index},${index === 1 ? "" : "a"},x`).join("\n");
    const shown = await preview(`Question,Answer,Rating\n${rows}\n`);
    expect(shown).toMatchObject({
      kind: "csv",
      format: "columns",
      columns: ["Question", "Answer", "Rating"],
      mapping: { Question: "input", Answer: "expectedOutput", Rating: "ignore" },
      isComplete: true,
      header: "Question,Answer,Rating",
    });
    expect(shown.rows).toHaveLength(10);
    expect(shown.rows[1]?.problems).toEqual([
      { severity: "error", message: "Has no answer to learn from" },
      { severity: "warning", message: "“Rating” is ignored: an Example has no field for it" },
    ]);
  });

  it("asks for a mapping when it cannot guess one", async () => {
    expect(await preview("a,b\n1,2\n")).toMatchObject({ isComplete: false, mapping: { a: "ignore", b: "ignore" } });
    expect(await preview("a,b\n1,2\n", { mapping: { a: "input", b: "expectedOutput" } })).toMatchObject({
      isComplete: true,
      rows: [{ problems: [] }],
    });
  });

  it("takes the format of JSONL from its first object", async () => {
    expect(await preview(jsonl({ messages: [USER, ASSISTANT] }))).toMatchObject({
      kind: "jsonl",
      format: "openai_chat",
    });
  });
});

/** What every JavaScript object has without having been given it. */
const INHERITED = [...Object.getOwnPropertyNames(Object.prototype), "prototype"].filter((name) => name !== "__proto__");

describe("names that every object has", () => {
  it.each(["messages", "prompt", "conversations"] as const)("are ordinary keys beside %s", async (kind) => {
    const row = {
      messages: { messages: [USER, ASSISTANT] },
      prompt: { prompt: USER.content, completion: ASSISTANT.content },
      conversations: {
        conversations: [
          { from: "human", value: USER.content },
          { from: "gpt", value: ASSISTANT.content },
        ],
      },
    }[kind];
    const file = jsonl({ ...row, ...Object.fromEntries(INHERITED.map((name) => [name, "x"])) });
    expect(await examplesOf(file)).toEqual([expect.objectContaining(CHAT)]);
  });

  it.each(INHERITED)("are no known speaker: %s", async (name) => {
    const file = jsonl({
      conversations: [
        { from: name, value: "x" },
        { from: "gpt", value: "y" },
      ],
    });
    expect(problemsOf(await readAll(file))).toEqual([expect.stringContaining(`has the unknown role “${name}”`)]);
  });
});

/** Returns a Parquet file of one row whose footer names any number of them. */
function parquetThatClaims(rows: bigint) {
  const to = new ByteWriter();
  const schema = schemaFromColumnData({ columnData: [{ name: "completion", data: ["x"] }] });
  const writer = new ParquetWriter({ writer: to, schema });
  writer.write({ columnData: [{ name: "completion", data: ["x"] }] });
  for (const group of writer.row_groups) group.num_rows = rows;
  writer.num_rows = rows;
  writer.finish();
  return new Uint8Array(to.getBuffer());
}

describe("limits", () => {
  const wide = (columns: number) => Array.from({ length: columns }, (_, n) => `c${n}`);

  it("refuses tables with more than 1,024 columns before reading a row", async () => {
    const csv = [...wide(1_022), "prompt", "completion"].join(",");
    expect((await preview(csv)).columns).toHaveLength(1_024);
    await expect(preview([...wide(400_000), "prompt", "completion"].join(","))).rejects.toThrow(
      "The file has 400,002 columns; at most 1,024 can be read",
    );
    const columnData = wide(1_025).map((name) => ({ name, data: ["x"] }));
    await expect(preview(new Uint8Array(parquetWriteBuffer({ columnData })))).rejects.toThrow("1,025 columns");
  });

  it("reports a JSON object with more than 1,024 keys as an error of its row", async () => {
    const many = Object.fromEntries(wide(1_023).map((name) => [name, 1]));
    const rows = await readAll(jsonl({ prompt: "a", completion: "b" }, { prompt: "a", completion: "b", ...many }));
    expect(problemsOf(rows)).toEqual(["2 error: Has 1,025 keys; at most 1,024 can be read"]);
  });

  it.each([
    ["more rows than a group may have", 9_900_000n, "A row group has 9,900,000 rows; at most 1,048,576 can be read"],
    ["more rows than there are bytes in the world", 400_000_000_000n, "A row group has 400,000,000,000 rows"],
  ])("refuses a Parquet file that claims %s", async (_, claimed, message) => {
    const forged = parquetThatClaims(claimed);
    await expect(preview(forged)).rejects.toThrow(message);
    await expect(readAll(forged)).rejects.toThrow(message);
  });
});
