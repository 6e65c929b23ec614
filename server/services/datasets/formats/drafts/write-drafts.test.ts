import { describe, expect, it } from "vitest";
import { DATASET_FORMATS, FILE_OF } from "../schemas";
import { examplesOf, linesOf, writeAll } from "../testing";
import type { ExampleRow } from "../types";

const USER = { role: "user", content: "Where is order 7?" };
const CALL = { id: "call_1", type: "function" as const, function: { name: "find_order", arguments: '{"id":7}' } };
const CALLING = { role: "assistant", content: null, tool_calls: [CALL] };
const RESULT = { role: "tool", content: "sent", tool_call_id: "call_1" };
const ANSWER = { role: "assistant", content: "On its way." };
const WORSE = { role: "assistant", content: "I don't know." };
const TOOLS = [{ type: "function", function: { name: "find_order" } }];

const SINGLE: ExampleRow = {
  payload: {
    input: { type: "chat", messages: [USER, CALLING, RESULT], tools: TOOLS },
    expectedOutput: { type: "chat_message", message: ANSWER },
  },
  id: "ex_1",
  tags: ["orders"],
  split: "train",
  source: { kind: "manual" },
};
const PAIR: ExampleRow = {
  payload: { ...SINGLE.payload, rejectedOutput: { type: "chat_message", message: WORSE } },
};
const UNTRAINED: ExampleRow = {
  payload: { ...SINGLE.payload, expectedOutput: { type: "chat_message", message: ANSWER, weight: 0 } },
};
const TRL_PROMPT = [
  USER,
  { ...CALLING, tool_calls: [{ ...CALL, function: { name: "find_order", arguments: { id: 7 } } }] },
  { ...RESULT, name: "find_order" },
];
const NO_REJECTED = "It has no rejected answer";
const NOTHING_TRAINED = "Its weight is 0, so nothing would be trained on";

describe("each format's lines are exactly as documented", () => {
  it.each([
    [
      "openai_chat",
      [
        { messages: [USER, { ...CALLING, weight: 0 }, RESULT, ANSWER], tools: TOOLS },
        { messages: [USER, { ...CALLING, weight: 0 }, RESULT, ANSWER], tools: TOOLS },
      ],
      [NOTHING_TRAINED],
    ],
    [
      "openai_preference",
      [
        {
          input: { messages: [USER, CALLING, RESULT], tools: TOOLS },
          preferred_output: [ANSWER],
          non_preferred_output: [WORSE],
        },
      ],
      [NO_REJECTED, NO_REJECTED],
    ],
    [
      "trl_sft",
      [
        { messages: [...TRL_PROMPT, ANSWER], tools: TOOLS },
        { messages: [...TRL_PROMPT, ANSWER], tools: TOOLS },
      ],
      [NOTHING_TRAINED],
    ],
    [
      "trl_prompt_completion",
      [
        { prompt: TRL_PROMPT, completion: [ANSWER], tools: TOOLS },
        { prompt: TRL_PROMPT, completion: [ANSWER], tools: TOOLS },
      ],
      [NOTHING_TRAINED],
    ],
    [
      "trl_dpo",
      [{ prompt: TRL_PROMPT, chosen: [ANSWER], rejected: [WORSE], tools: TOOLS }],
      [NO_REJECTED, NO_REJECTED],
    ],
    [
      "trl_kto",
      [
        { prompt: TRL_PROMPT, completion: [ANSWER], label: true, tools: TOOLS },
        { prompt: TRL_PROMPT, completion: [ANSWER], label: true, tools: TOOLS },
        { prompt: TRL_PROMPT, completion: [WORSE], label: false, tools: TOOLS },
      ],
      [NOTHING_TRAINED],
    ],
  ] as const)("%s", async (format, lines, reasons) => {
    const skipped: string[] = [];
    expect(linesOf(await writeAll([SINGLE, PAIR, UNTRAINED], format, skipped))).toEqual(lines);
    expect(skipped).toEqual(reasons);
  });

  it("an answer that is only rejected is a line of trl_kto and of no other training format", async () => {
    const bad: ExampleRow = {
      payload: {
        ...SINGLE.payload,
        expectedOutput: { type: "chat_message", message: WORSE, weight: 0 },
        rejectedOutput: { type: "chat_message", message: WORSE },
      },
    };
    const file = await writeAll([bad], "trl_kto");
    expect(linesOf(file)).toEqual([{ prompt: TRL_PROMPT, completion: [WORSE], label: false, tools: TOOLS }]);
    expect(await examplesOf(file)).toMatchObject([
      { payload: { expectedOutput: bad.payload.expectedOutput, rejectedOutput: bad.payload.rejectedOutput } },
    ]);
    for (const format of ["openai_chat", "openai_preference", "trl_sft", "trl_prompt_completion", "trl_dpo"] as const) {
      expect(linesOf(await writeAll([bad], format)), format).toEqual([]);
    }
  });

  it.each(["openai_preference", "trl_dpo"] as const)("%s reads back as the same pair", async (format) => {
    const [read] = await examplesOf(await writeAll([PAIR], format));
    const messages =
      format === "trl_dpo" ? [USER, CALLING, { ...RESULT, name: "find_order" }] : [USER, CALLING, RESULT];
    expect(read).toEqual({ payload: { ...PAIR.payload, input: { ...PAIR.payload.input, messages } } });
  });
});

it("CSV cells are protected from being run as formulas, and read back unchanged", async () => {
  const row = { ...SINGLE, externalRef: "=HYPERLINK(1)", source: { kind: "import", externalRef: "'-1" } };
  const csv = await writeAll([row], "csv");
  expect(csv.toString()).not.toMatch(/(?:^|,|")[=+\-@]/m);
  expect(await examplesOf(csv)).toEqual([row]);
});

it("every format has a file extension, and lossless, CSV and Parquet lose nothing", () => {
  for (const format of DATASET_FORMATS) expect(FILE_OF[format].extension).toMatch(/^(jsonl|csv|parquet)$/);
  expect([...FILE_OF.lossless.losses, ...FILE_OF.csv.losses, ...FILE_OF.parquet.losses]).toEqual([]);
});
