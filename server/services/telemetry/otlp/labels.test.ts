import { expect, test } from "vitest";
import { LABEL_CHARACTERS, LABELS_MAX } from "../schemas";
import { readSpan } from ".";
import { assemble, spanOf, spansOf } from "./testing/conversations";
import type { SentAttributes } from "./testing/encode-otlp";

const labelsOf = (...attributes: SentAttributes[]) =>
  assemble(spansOf(attributes.map((sent) => ({ attributes: sent })))).labels;

test.each<[name: string, attributes: SentAttributes]>([
  ["Langfuse", { "langfuse.trace.tags": ["beta", "web"] }],
  ["Langfuse, as JSON text", { "langfuse.trace.tags": '["web","beta"]' }],
  ["OpenInference in Python", { "tag.tags": ["beta", "web"] }],
  ["OpenInference in JavaScript", { "tag.tags": '["beta","web"]' }],
  ["OpenInference's metadata", { metadata: '{"tags":["beta","web"],"plan":"pro"}' }],
  ["LangSmith", { "langsmith.span.tags": "beta, web" }],
  ["LangWatch", { "langwatch.labels": '["beta","web"]' }],
  ["Braintrust", { "braintrust.tags": ["beta", "web"] }],
  ["AI SDK", { "ai.telemetry.metadata.tags": ["beta", "web"] }],
  ["AI SDK 7", { "ai.settings.context.tags": ["beta", "web"] }],
  ["OpenLLMetry", { "traceloop.association.properties.tags": ["beta", "web"] }],
  ["Laminar", { "lmnr.association.properties.tags": ["beta", "web"] }],
])("%s", (_name, attributes) => {
  expect(labelsOf(attributes)).toEqual(["beta", "web"]);
  expect(readSpan(spanOf(attributes), []).unmapped).toEqual([]);
});

test("those of all spans and names together, each once, in one order", () => {
  const spans = spansOf([
    { attributes: { "langfuse.trace.tags": ["web", "beta"], "tag.tags": ["web", "eu"] } },
    { attributes: {} },
    { attributes: { "langsmith.span.tags": "voice" } },
  ]);
  expect(assemble(spans).labels).toEqual(["beta", "eu", "voice", "web"]);
  expect(assemble([...spans].reverse()).labels).toEqual(["beta", "eu", "voice", "web"]);
});

test("of many the first are kept, whatever came first; of a long one its beginning", () => {
  const names = Array.from({ length: LABELS_MAX + 5 }, (_, n) => `label-${String(n).padStart(2, "0")}`);
  const sent = (list: string[]) => list.map((name) => ({ "tag.tags": [name] }));
  const kept = names.slice(0, LABELS_MAX);
  expect(labelsOf(...sent(names))).toEqual(kept);
  expect(labelsOf(...sent(names.toReversed()))).toEqual(kept);
  expect(labelsOf({ "tag.tags": names.toReversed() })).toEqual(kept);
  expect(labelsOf({ "tag.tags": ["x".repeat(LABEL_CHARACTERS + 1)] })).toEqual(["x".repeat(LABEL_CHARACTERS)]);
  expect(labelsOf({ "tag.tags": [`${"x".repeat(LABEL_CHARACTERS - 1)}🙂`] })).toEqual([
    "x".repeat(LABEL_CHARACTERS - 1),
  ]);
});

test("what says nothing is none", () => {
  expect(
    labelsOf(
      { "tag.tags": ["", "  ", " web "] },
      { "langfuse.trace.tags": "[Scrubbed due to 'session']", "langsmith.span.tags": ",," },
      { "langsmith.span.tags": "seq:step:2, graph:step:11, map:key:context, langsmith:hidden, step by step" },
      { metadata: "{}", "langwatch.labels": "[]", "braintrust.tags": true },
    ),
  ).toEqual(["step by step", "web"]);
});

test("a comma is part of a label in a list, and between two in a text", () => {
  expect(labelsOf({ "tag.tags": ["a, b"] })).toEqual(["a, b"]);
  expect(labelsOf({ "tag.tags": "a, b" })).toEqual(["a", "b"]);
});

test("what could not be decoded is part of a label, and none by itself; only a cut takes it away", () => {
  expect(labelsOf({ "tag.tags": ["caf\uFFFD", "\uFFFD", " \uFFFD\uFFFD ", "\uFFFDb"] })).toEqual([
    "caf\uFFFD",
    "\uFFFDb",
  ]);
  const full = `${"x".repeat(LABEL_CHARACTERS - 1)}\uFFFD`;
  expect(labelsOf({ "tag.tags": [full] })).toEqual([full]);
  expect(labelsOf({ "tag.tags": [`\uFFFD${" ".repeat(LABEL_CHARACTERS)}x`] })).toEqual(["\uFFFD"]);
});

test("of a megabyte of tags in one text the first are kept, in whatever order they come", () => {
  const some = Array.from({ length: 120_000 }, (_, n) => `t${999_999 - n}`);
  const kept = some.slice(-LABELS_MAX).toReversed();
  expect(labelsOf({ "tag.tags": some.join(",") })).toEqual(kept);
  expect(labelsOf({ "tag.tags": some.toReversed().join(",") })).toEqual(kept);
});
