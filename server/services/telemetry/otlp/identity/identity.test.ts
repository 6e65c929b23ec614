import { expect, test } from "vitest";
import { resolveTraceIdentity } from "..";
import { idOf, logsOf, NOW, spansOf } from "../testing/conversations";
import type { SentAttributes } from "../testing/encode-otlp";

const idOfTrace = (...attributes: SentAttributes[]) =>
  resolveTraceIdentity(spansOf(attributes.map((sent) => ({ attributes: sent }))), []);

test.each<[name: string, attributes: SentAttributes]>([
  ["Langfuse", { "langfuse.session.id": "us", "langfuse.user.id": "her" }],
  ["OpenInference", { "session.id": "us", "user.id": "her" }],
  ["OpenTelemetry GenAI", { "gen_ai.conversation.id": "us", "enduser.id": "her" }],
  [
    "OpenLLMetry",
    { "traceloop.association.properties.thread_id": "us", "traceloop.association.properties.user_id": "her" },
  ],
  ["Laminar", { "lmnr.association.properties.session_id": "us", "lmnr.association.properties.user_id": "her" }],
  ["LangWatch", { "langwatch.thread.id": "us", "langwatch.user.id": "her" }],
  ["AI SDK", { "ai.telemetry.metadata.threadId": "us", "ai.telemetry.metadata.userId": "her" }],
  ["AI SDK 7", { "ai.settings.context.sessionId": "us", "ai.settings.context.userId": "her" }],
  ["LangChain", { metadata: '{"thread_id":"us","user_id":"her"}' }],
  ["LangSmith", { "langsmith.metadata.thread_id": "us", "langsmith.metadata.user_id": "her" }],
  ["Codex", { "thread.id": "us-1", "user.id": "her" }],
])("%s", (_name, attributes) => {
  expect(idOfTrace(attributes)).toEqual({ externalId: attributes["thread.id"] ?? "us", userId: "her" });
});

test("the most trusted attribute name wins anywhere in the trace", () => {
  expect(idOfTrace({ "gen_ai.conversation.id": "conversation" }, { "session.id": "session" }).externalId).toBe(
    "session",
  );
  expect(
    idOfTrace({ "session.id": "session" }, { "langfuse.session.id": "langfuse", "gen_ai.conversation.id": "c" })
      .externalId,
  ).toBe("langfuse");
});

test("for the same attribute name the root's value wins, then the earliest", () => {
  const spans = spansOf([
    { parentSpanId: idOf(9), attributes: { "session.id": "early child" } },
    { parentSpanId: idOf(9), attributes: { "session.id": "late child" } },
    { spanId: idOf(9), start: NOW + 5000, attributes: { "session.id": "root" } },
  ]);
  expect(resolveTraceIdentity(spans, []).externalId).toBe("root");
  expect(resolveTraceIdentity([...spans].reverse(), []).externalId).toBe("root");
  expect(resolveTraceIdentity(spans.slice(0, 2).reverse(), []).externalId).toBe("early child");
});

test("the id of a LangSmith project is not one of a conversation", () => {
  const project = { "langsmith.trace.session_id": "5f0c2b1e-9d3a-4c61-8a55-0d6f2a9b7c10" };
  expect(idOfTrace(project).externalId).toBeNull();
  expect(idOfTrace({ ...project, "langsmith.metadata.conversation_id": "us" }).externalId).toBe("us");
});

test("what is no id gives way to one under a less trusted name, for conversations and users", () => {
  expect(
    idOfTrace({
      "session.id": "undefined",
      "gen_ai.conversation.id": "{{thread}}",
      "user.id": "[object Object]",
      metadata: '{"session_id":"None","thread_id":"us","user_id":"her"}',
    }),
  ).toEqual({ externalId: "us", userId: "her" });
  expect(idOfTrace({ "session.id": "null", "user.id": "NaN" })).toEqual({ externalId: null, userId: null });
});

test("a scrubbed id and an OS thread number are not ids", () => {
  expect(idOfTrace({ "session.id": "[Scrubbed due to 'session']" }).externalId).toBeNull();
  expect(idOfTrace({ "session.id": "[Scrubbed due to 'session']" }, { "session.id": "real" }).externalId).toBe("real");
  expect(idOfTrace({ "thread.id": 140735 }).externalId).toBeNull();
});

test("logs are used if spans have no id, and the resource last", () => {
  const resource = { "session.id": "process" };
  expect(resolveTraceIdentity(spansOf([{}], { resource }), []).externalId).toBe("process");
  expect(
    resolveTraceIdentity(
      spansOf([{}], { resource }),
      logsOf([{ attributes: { "session.id": "log", "user.id": "her" } }]),
    ),
  ).toEqual({
    externalId: "log",
    userId: "her",
  });
});

test("without attributes there is no identity", () => {
  expect(resolveTraceIdentity([], [])).toEqual({ externalId: null, userId: null });
  expect(idOfTrace({ "session.id": "", metadata: "{}" })).toEqual({ externalId: null, userId: null });
});
