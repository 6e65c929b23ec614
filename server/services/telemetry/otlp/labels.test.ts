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

test("labels of all spans and names are combined, distinct and sorted", () => {
  const spans = spansOf([
    { attributes: { "langfuse.trace.tags": ["web", "beta"], "tag.tags": ["web", "eu"] } },
    { attributes: {} },
    { attributes: { "langsmith.span.tags": "voice" } },
  ]);
  expect(assemble(spans).labels).toEqual(["beta", "eu", "voice", "web"]);
  expect(assemble([...spans].reverse()).labels).toEqual(["beta", "eu", "voice", "web"]);
});

test("the first labels in sort order are kept, whatever the order of arrival, and long ones are cut", () => {
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

test("meaningless values are not labels", () => {
  expect(
    labelsOf(
      { "tag.tags": ["", "  ", " web "] },
      { "langfuse.trace.tags": "[Scrubbed due to 'session']", "langsmith.span.tags": ",," },
      { "langsmith.span.tags": "seq:step:2, graph:step:11, map:key:context, langsmith:hidden, step by step" },
      { metadata: "{}", "langwatch.labels": "[]", "braintrust.tags": true },
    ),
  ).toEqual(["step by step", "web"]);
});

test("a comma is part of a label in a list, and a separator in a string", () => {
  expect(labelsOf({ "tag.tags": ["a, b"] })).toEqual(["a, b"]);
  expect(labelsOf({ "tag.tags": "a, b" })).toEqual(["a", "b"]);
});

test("replacement characters are kept within a label, and a label of nothing else is dropped", () => {
  expect(labelsOf({ "tag.tags": ["caf\uFFFD", "\uFFFD", " \uFFFD\uFFFD ", "\uFFFDb"] })).toEqual([
    "caf\uFFFD",
    "\uFFFDb",
  ]);
  const full = `${"x".repeat(LABEL_CHARACTERS - 1)}\uFFFD`;
  expect(labelsOf({ "tag.tags": [full] })).toEqual([full]);
  expect(labelsOf({ "tag.tags": [`\uFFFD${" ".repeat(LABEL_CHARACTERS)}x`] })).toEqual(["\uFFFD"]);
});

test("the first labels of a megabyte of tags are kept, in any order of arrival", () => {
  const some = Array.from({ length: 120_000 }, (_, n) => `t${999_999 - n}`);
  const kept = some.slice(-LABELS_MAX).toReversed();
  expect(labelsOf({ "tag.tags": some.join(",") })).toEqual(kept);
  expect(labelsOf({ "tag.tags": some.toReversed().join(",") })).toEqual(kept);
});
