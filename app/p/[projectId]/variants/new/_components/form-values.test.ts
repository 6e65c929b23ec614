import { expect, test } from "vitest";
import { basedOnOf, changeOf, initialValues } from "./form-values";

const turn = {
  conversationId: "conv_1",
  messageIndex: 2,
  prompt: [
    { role: "system" as const, content: "Be brief." },
    { role: "user" as const, content: "Hello?" },
  ],
  recorded: "",
  model: "gpt-5-nano",
  tools: [{ name: "track", description: "Tracks." }],
};
const connection = { id: "conn_1", name: "A provider", defaultModel: "gpt-5" };

test("a new variant opens as recorded, and what is not changed is not part of it", () => {
  const basedOn = basedOnOf({ from: null, turn, draft: null });
  const values = initialValues({ from: null, turn, connection, draft: null });
  expect(values).toMatchObject({ connectionId: "conn_1", model: "gpt-5-nano", systemPrompt: "Be brief." });
  expect(changeOf(values, basedOn)).toEqual({
    connectionId: "conn_1",
    model: "gpt-5-nano",
    basedOn: null,
    systemPrompt: null,
    parameters: {},
    toolDescriptions: {},
  });
  const changed = {
    ...values,
    systemPrompt: "Be brief and kind.",
    temperature: 0,
    tools: [{ ...values.tools[0]!, description: "Tracks it." }],
  };
  expect(changeOf(changed, basedOn)).toMatchObject({
    basedOn: "Be brief.",
    systemPrompt: "Be brief and kind.",
    parameters: { temperature: 0 },
    toolDescriptions: { track: "Tracks it." },
  });
});

test("without a recorded prompt, what is written replaces any", () => {
  const values = initialValues({ from: null, turn: undefined, connection, draft: null });
  expect(values).toMatchObject({ model: "gpt-5", systemPrompt: "" });
  expect(changeOf({ ...values, systemPrompt: "Be kind." }, null)).toMatchObject({
    basedOn: null,
    systemPrompt: "Be kind.",
  });
});

test("what was tried in the playground is carried over, and replaces what is recorded", () => {
  const draft = { systemPrompt: "Be kind.", temperature: 0.2, maxTokens: 512 };
  const basedOn = basedOnOf({ from: null, turn, draft });
  expect(changeOf(initialValues({ from: null, turn, connection, draft }), basedOn)).toMatchObject({
    model: "gpt-5-nano",
    basedOn: null,
    systemPrompt: "Be kind.",
    parameters: { temperature: 0.2, maxTokens: 512 },
  });
  const kept = { ...draft, systemPrompt: null };
  expect(initialValues({ from: null, turn, connection, draft: kept }).systemPrompt).toBe("Be brief.");
});
