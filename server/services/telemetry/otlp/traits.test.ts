import { expect, test } from "vitest";
import { traitsOf } from "../projection/traits-of";
import { promptText, TRAIT_CHARACTERS, TRAIT_VALUES_MAX } from "../schemas";
import { readSpan } from ".";
import { createAssembler } from "./assemble/create-assembler";
import { assemble, idOf, spanOf, spansOf, transcriptOf } from "./testing/conversations";
import type { SentAttributes } from "./testing/encode-otlp";

const CALL = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5" };

test.each<[name: string, attributes: SentAttributes, prompt: string, version?: string]>([
  ["OpenTelemetry", { "gen_ai.prompt.name": "refund" }, "refund"],
  ["OpenTelemetry", { "gen_ai.prompt.name": "refund", "gen_ai.prompt.version": "3" }, "refund", "3"],
  [
    "Langfuse",
    { "langfuse.observation.prompt.name": "refund", "langfuse.observation.prompt.version": 3 },
    "refund",
    "3",
  ],
  [
    "LangSmith",
    { "langsmith.metadata.lc_hub_repo": "refund", "langsmith.metadata.lc_hub_commit_hash": "c0ffee" },
    "refund",
    "c0ffee",
  ],
  ["OpenLLMetry", { "traceloop.prompt.key": "refund", "traceloop.prompt.version": 3 }, "refund", "3"],
  ["OpenInference", { "llm.prompt_template.version": "v1.0" }, "v1.0"],
])("a managed prompt is read as %s sends it", (_name, attributes, name, version) => {
  const { prompts, modelCalls } = assemble(spansOf([{ attributes: { ...CALL, ...attributes } }]));
  expect(modelCalls.map(({ prompt }) => prompt)).toEqual([{ name, version: version ?? null }]);
  expect(prompts).toEqual([version === undefined ? name : `${name} ${version}`]);
  expect(readSpan(spanOf(attributes), []).unmapped).toEqual([]);
});

test("OpenLLMetry's messages and the name of a prompt share a prefix, and both are read", () => {
  const attributes = {
    ...CALL,
    "gen_ai.prompt.0.role": "system",
    "gen_ai.prompt.0.content": "Be kind.",
    "gen_ai.prompt.1.role": "user",
    "gen_ai.prompt.1.content": "Hello",
    "gen_ai.completion.0.role": "assistant",
    "gen_ai.completion.0.content": "Hi",
  };
  const named = { ...attributes, "gen_ai.prompt.name": "refund", "gen_ai.prompt.version": 3 };
  const [plain, both] = [attributes, named].map((one) => assemble(spansOf([{ attributes: one }])));
  expect(both!.modelCalls[0]!.prompt).toEqual({ name: "refund", version: "3" });
  expect(transcriptOf(both!)).toEqual(["system: Be kind.", "user: Hello", "assistant: Hi"]);
  expect(both!.messages).toEqual(plain!.messages);
  expect(readSpan(spanOf(named), []).unmapped).toEqual([]);
});

test("a call is made from the prompt of the nearest span around it, unless its own names another", () => {
  const refund = { "gen_ai.prompt.name": "refund", "gen_ai.prompt.version": 3 };
  const spans = spansOf([
    { attributes: refund },
    { parentSpanId: idOf(1), attributes: { "gen_ai.operation.name": "invoke_agent" } },
    { parentSpanId: idOf(2), attributes: CALL },
    { parentSpanId: idOf(2), attributes: { ...CALL, "gen_ai.prompt.name": "greeting" } },
    { attributes: CALL },
  ]);
  const named = (from: typeof spans) => assemble(from).modelCalls.map(({ prompt }) => prompt && promptText(prompt));
  expect(named(spans)).toEqual(["refund 3", "greeting", null]);
  expect(named(spans.toReversed())).toEqual(["refund 3", "greeting", null]);
});

test("a call that was read before the span around it gets that one's prompt once it arrives", () => {
  const [around, call] = spansOf([
    { attributes: { "gen_ai.prompt.name": "refund" } },
    { parentSpanId: idOf(1), attributes: CALL },
  ]);
  const assembler = createAssembler();
  assembler.add(call!, []);
  const before = assembler.finish().modelCalls[0];
  expect(before?.prompt).toBeNull();
  expect(assembler.finish().modelCalls[0]).toBe(before);
  assembler.add(around!, []);
  expect(assembler.finish().modelCalls[0]?.prompt).toEqual({ name: "refund", version: null });
});

test("a version is named after its service, and a revision beside it is another", () => {
  const resource = { "service.name": "shop", "service.version": "2.4.0", "vcs.ref.head.revision": "c0ffee" };
  const [span] = spansOf([{ attributes: CALL }]);
  expect(assemble([{ ...span!, resource }]).versions).toEqual(["shop 2.4.0", "shop c0ffee"]);
  expect(assemble([{ ...span!, resource: { "langfuse.release": "2026-11" } }]).versions).toEqual(["2026-11"]);
  expect(assemble([{ ...span!, resource: {} }]).versions).toEqual([]);
});

test("a conversation's traits are distinct, cut, and the first of too many in any order of its spans", () => {
  const tools = Array.from({ length: TRAIT_VALUES_MAX + 5 }, (_, n) => ({
    attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": `tool-${String(n).padStart(3, "0")}` },
  }));
  const long = { attributes: { ...CALL, "gen_ai.prompt.name": "p".repeat(TRAIT_CHARACTERS + 1) } };
  const spans = spansOf([...tools, long, long]);
  const traits = traitsOf(assemble(spans));
  expect(traitsOf(assemble(spans.toReversed()))).toEqual(traits);
  expect(traits.filter((trait) => trait.startsWith("tool:"))).toHaveLength(TRAIT_VALUES_MAX);
  expect(traits.at(-1)).toBe(`tool:tool-${String(TRAIT_VALUES_MAX - 1).padStart(3, "0")}`);
  expect(traits.slice(0, 2)).toEqual([`prompt:${"p".repeat(TRAIT_CHARACTERS)}`, "provider:openai"]);
});
