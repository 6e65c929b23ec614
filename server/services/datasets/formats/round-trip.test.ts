import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SPLITS } from "./schemas";
import { examplesOf, writeAll } from "./testing";
import type { ExampleRow } from "./types";

/** Text that Postgres can store, including what typically breaks file formats. */
const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 8 }),
      fc.constantFrom(
        '"',
        '""',
        "\r\n",
        "\n",
        ",",
        ";",
        "=1+1",
        "'",
        "{",
        "[",
        "\u2028",
        "\\",
        "🦊",
        "null",
        " ",
        "\ufeff",
      ),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.join("").replaceAll("\0", ""))
  .filter((value) => value !== "" && value.isWellFormed());

const call = fc.record({
  id: text,
  type: fc.constant("function" as const),
  function: fc.record({ name: fc.stringMatching(/^[a-z_]{1,8}$/), arguments: fc.json() }),
});
const message = fc.oneof(
  fc.record({ role: fc.constantFrom("system", "user", "developer"), content: text }),
  fc.record(
    { role: fc.constant("assistant"), content: fc.option(text), weight: fc.constantFrom(0, 0.25, 1) },
    { requiredKeys: ["role"] },
  ),
  fc.record({
    role: fc.constant("assistant"),
    content: fc.option(text),
    tool_calls: fc.array(call, { minLength: 1, maxLength: 2 }),
  }),
  fc.record({ role: fc.constant("tool"), content: text, tool_call_id: text }),
);
const answer = fc.record({ role: fc.constant("assistant"), content: text });
const tool = fc.record({
  type: fc.constant("function"),
  function: fc.record({
    name: fc.stringMatching(/^[a-z]{1,8}$/),
    parameters: fc.dictionary(text, fc.jsonValue({ maxDepth: 2 })),
  }),
});
const payload = fc.record({
  input: fc.record(
    {
      type: fc.constant("chat" as const),
      messages: fc.array(message, { minLength: 1, maxLength: 4 }),
      tools: fc.array(tool, { maxLength: 2 }),
    },
    { requiredKeys: ["type", "messages"] },
  ),
  expectedOutput: fc.record(
    { type: fc.constant("chat_message" as const), message: answer, weight: fc.constantFrom(0, 0.25, 1) },
    { requiredKeys: ["type", "message"] },
  ),
});
const paired = fc
  .tuple(payload, fc.option(answer))
  .map(([own, rejected]) =>
    rejected ? { ...own, rejectedOutput: { type: "chat_message" as const, message: rejected } } : own,
  );
const example = fc.record(
  {
    payload: paired,
    id: fc.stringMatching(/^ex_[a-z0-9]{1,8}$/),
    tags: fc.array(text, { maxLength: 3 }),
    split: fc.constantFrom(...SPLITS),
    externalRef: text,
    source: fc.record(
      {
        kind: fc.constantFrom("manual", "import"),
        externalRef: text,
        objective: fc.constantFrom("teach_project_knowledge"),
        conversationId: text,
        userId: text,
        turn: fc.nat(),
        findingId: text,
      },
      { requiredKeys: ["kind"] },
    ),
  },
  { requiredKeys: ["payload", "source"] },
);

/** Round-trips a value through JSON: no `-0`, no prototypes. */
const asJson = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

describe("an exported file reads back as what it was written from", () => {
  it.each(["lossless", "csv", "parquet"] as const)("in format %s", async (format) => {
    await fc.assert(
      fc.asyncProperty(fc.array(example, { minLength: 1, maxLength: 6 }), async (examples) => {
        const file = await writeAll(examples as ExampleRow[], format);
        expect(asJson(await examplesOf(file))).toEqual(asJson(examples));
      }),
      { numRuns: 300 },
    );
  });

  it("with more rows than fit one Parquet row group", async () => {
    const rows = Array.from(
      { length: 6_000 },
      (_, index): ExampleRow => ({
        payload: {
          input: { type: "chat", messages: [{ role: "user", content: `${index} ${"x".repeat(2_000)}` }] },
          expectedOutput: { type: "chat_message", message: { role: "assistant", content: String(index) } },
        },
        source: { kind: "import" },
      }),
    );
    expect(await examplesOf(await writeAll(rows, "parquet"))).toEqual(rows);
  });

  it.each(["csv", "parquet"] as const)("with no rows, in format %s", async (format) => {
    expect(await examplesOf(await writeAll([], format))).toEqual([]);
  });
});
