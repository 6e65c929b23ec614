import { expect, test } from "vitest";
import { traitsOf } from "../projection/traits-of";
import { TRAIT_CHARACTERS, TRAIT_VALUES_MAX } from "../schemas";
import { readSpan } from ".";
import { assemble, spanOf, spansOf } from "./testing/conversations";
import type { SentAttributes } from "./testing/encode-otlp";

const CALL = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5" };

test.each<[name: string, attributes: SentAttributes, prompt: string]>([
  ["OpenTelemetry", { "gen_ai.prompt.name": "refund" }, "refund"],
  ["Langfuse", { "langfuse.observation.prompt.name": "refund", "langfuse.observation.prompt.version": 3 }, "refund 3"],
  ["OpenLLMetry", { "traceloop.prompt.key": "refund", "traceloop.prompt.version": 3 }, "refund 3"],
  ["OpenInference", { "llm.prompt_template.version": "v1.0" }, "v1.0"],
])("a managed prompt is read as %s sends it", (_name, attributes, prompt) => {
  expect(assemble(spansOf([{ attributes: { ...CALL, ...attributes } }])).prompts).toEqual([prompt]);
  expect(readSpan(spanOf(attributes), []).unmapped).toEqual([]);
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
