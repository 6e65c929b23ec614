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
const BASE = { id: "acme/base", revision: null, source: "hub" as const };
const endpoints = [
  {
    key: "connection:conn_1",
    name: "A provider",
    connectionId: "conn_1",
    deploymentId: null,
    baseModel: null,
    model: "gpt-5",
  },
  {
    key: "deployment:dep_1",
    name: "shop-agent",
    connectionId: null,
    deploymentId: "dep_1",
    baseModel: null,
    model: "shop-agent",
  },
  {
    key: "base:hub:acme/base",
    name: "acme/base",
    connectionId: null,
    deploymentId: null,
    baseModel: BASE,
    model: "acme/base",
  },
];

test("a new variant opens as recorded, and what is not changed is not part of it", () => {
  const basedOn = basedOnOf({ from: null, turn, draft: null });
  const values = initialValues({ from: null, turn, endpoints, draft: null });
  expect(values).toMatchObject({ endpoint: "connection:conn_1", model: "gpt-5-nano", systemPrompt: "Be brief." });
  expect(changeOf(values, basedOn, endpoints)).toEqual({
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
  expect(changeOf(changed, basedOn, endpoints)).toMatchObject({
    basedOn: "Be brief.",
    systemPrompt: "Be brief and kind.",
    parameters: { temperature: 0 },
    toolDescriptions: { track: "Tracks it." },
  });
});

test("without a recorded prompt, what is written replaces any", () => {
  const values = initialValues({ from: null, turn: undefined, endpoints, draft: null });
  expect(values).toMatchObject({ model: "gpt-5", systemPrompt: "" });
  expect(changeOf({ ...values, systemPrompt: "Be kind." }, null, endpoints)).toMatchObject({
    basedOn: null,
    systemPrompt: "Be kind.",
  });
});

test("what was tried in the playground is carried over, and replaces what is recorded", () => {
  const draft = { systemPrompt: "Be kind.", temperature: 0.2, maxTokens: 512, asked: null };
  const basedOn = basedOnOf({ from: null, turn, draft });
  expect(changeOf(initialValues({ from: null, turn, endpoints, draft }), basedOn, endpoints)).toMatchObject({
    model: "gpt-5-nano",
    basedOn: null,
    systemPrompt: "Be kind.",
    parameters: { temperature: 0.2, maxTokens: 512 },
  });
  const kept = { ...draft, systemPrompt: null };
  expect(initialValues({ from: null, turn, endpoints, draft: kept }).systemPrompt).toBe("Be brief.");
});

test("a deployment answers under its own name, where it was asked in the playground or recorded", () => {
  const draft = {
    systemPrompt: "Be kind.",
    temperature: 0,
    maxTokens: 512,
    asked: { kind: "deployment" as const, id: "dep_1" },
  };
  const carried = initialValues({ from: null, turn, endpoints, draft });
  expect(carried).toMatchObject({ endpoint: "deployment:dep_1", model: "shop-agent" });
  expect(changeOf(carried, null, endpoints)).toMatchObject({ deploymentId: "dep_1" });
  expect(changeOf(carried, null, endpoints)).not.toHaveProperty("model");
  const recorded = { ...turn, model: "shop-agent" };
  expect(initialValues({ from: null, turn: recorded, endpoints, draft: null }).endpoint).toBe("deployment:dep_1");
  const ended = { ...draft, asked: { kind: "deployment" as const, id: "dep_0" } };
  expect(initialValues({ from: null, turn, endpoints, draft: ended }).endpoint).toBe("connection:conn_1");
});

test("a base model that was asked in the playground answers", () => {
  const draft = {
    systemPrompt: null,
    temperature: 0,
    maxTokens: 512,
    asked: { kind: "base" as const, id: "acme/base" },
  };
  const carried = initialValues({ from: null, turn, endpoints, draft });
  expect(carried).toMatchObject({ endpoint: "base:hub:acme/base", model: "acme/base" });
  expect(changeOf(carried, null, endpoints)).toMatchObject({ baseModel: BASE });
  expect(changeOf(carried, null, endpoints)).not.toHaveProperty("model");
});
