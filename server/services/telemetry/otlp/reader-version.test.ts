import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { READER_VERSION } from "./reader-version";
import { CONVENTIONS, LOOK } from "./testing/conventions";
import { assemble, chat, idOf, logsOf, NOW, spansOf, user } from "./testing/conversations";
import type { SentSpan } from "./testing/encode-otlp";

const ASKS = { role: "assistant", tool_calls: [{ id: "c1", function: LOOK }] };

/** Covers what the single call in the conventions lacks: usage, costs, errors, tools and identities. */
const SESSION: SentSpan[] = [
  {
    name: "agent",
    attributes: { "openinference.span.kind": "AGENT", "session.id": "s", "user.id": "u", "tag.tags": ["a"] },
  },
  {
    parentSpanId: idOf(1),
    attributes: chat([user("Weather?")], ASKS, {
      "gen_ai.response.id": "r1",
      "gen_ai.response.model": "gpt-4o-2024-08-06",
      "gen_ai.provider.name": "openai",
      "gen_ai.usage.input_tokens": 100,
      "gen_ai.usage.output_tokens": 20,
      "gen_ai.usage.cache_read.input_tokens": 40,
      "gen_ai.response.finish_reasons": ["tool_calls"],
    }),
  },
  {
    parentSpanId: idOf(1),
    name: "look",
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "look",
      "gen_ai.tool.call.id": "c1",
      "gen_ai.tool.call.result": "Error: no such city",
    },
  },
  {
    parentSpanId: idOf(1),
    status: { code: 2, message: "429" },
    attributes: chat([user("Weather?")], null, {
      "error.type": "rate_limit",
      "gen_ai.provider.name": "anthropic",
      "gen_ai.usage.input_tokens": 7,
      "gen_ai.usage.cost": 0.5,
    }),
  },
];

/** A model that the tool of the session asks. */
const INNER: SentSpan = { parentSpanId: idOf(3), spanId: idOf(80), attributes: chat([user("Look it up")], "Rain") };

/** Another instrumentation's report of the first call. */
const TWIN: SentSpan = {
  spanId: idOf(90),
  start: NOW + 1000,
  attributes: {
    "openinference.span.kind": "LLM",
    "llm.model_name": "gpt-4o",
    "gen_ai.response.id": "r1",
    "llm.token_count.prompt": 100,
    "llm.token_count.completion": 20,
  },
};

const LOGS = logsOf([
  { eventName: "gen_ai.user.message", body: { content: "Weather?" } },
  { eventName: "gen_ai.choice", body: { index: 0, finish_reason: "stop", message: { content: "It rains." } } },
]);

/** Digests of everything that each version reads from the spans above. */
const DIGESTS: Readonly<Record<number, string>> = {
  1: "ffd5a081b82a12901bc1c6864a60cb03111821df081f09e74a2ce03755a5ed16",
  2: "ffd5a081b82a12901bc1c6864a60cb03111821df081f09e74a2ce03755a5ed16",
  3: "ffd5a081b82a12901bc1c6864a60cb03111821df081f09e74a2ce03755a5ed16",
  4: "b9ad096b3823ad70d672181fe2ebf956f1c3ccbbea14d628ad811c06500c95f5",
  5: "c251f4f93eeacb0e9de26943ee779c9dd43b150209182b79c9a49da16d1ced71",
  6: "833712659d7b48988d479c5a7cdb55f895fd1d4f48cb04abeb7f34b2444021f9",
  7: "833712659d7b48988d479c5a7cdb55f895fd1d4f48cb04abeb7f34b2444021f9",
  // With arms, which no span had that was stored before they were read.
  8: "dc8bed8f7b1757d135deaaa14e7da66a47960f6d9f021298cac00736e852ff8f",
  // With annotations and evaluations of OpenInference, which none of these spans has.
  9: "dc8bed8f7b1757d135deaaa14e7da66a47960f6d9f021298cac00736e852ff8f",
};

test("what is read from stored spans changes only with READER_VERSION", () => {
  const read = [
    ...CONVENTIONS.map(([, span]) => assemble(spansOf([span]))),
    assemble([...spansOf(SESSION), ...spansOf([TWIN], { scope: "twin" })]),
    assemble(spansOf([{ attributes: { "gen_ai.operation.name": "chat" } }]), LOGS),
    assemble(spansOf([...SESSION, INNER])),
  ];
  expect(
    DIGESTS[READER_VERSION],
    "Raise READER_VERSION, so that stored spans are read again, and record this digest for it.",
  ).toBe(hash("sha256", JSON.stringify(read), "hex"));
});
