import { expect, test } from "vitest";
import { idLine } from "./id-line";

test("the line to add is that of the instrumentation that sent the spans, or one that any has", () => {
  expect(idLine("openinference.instrumentation.openai")).toBe("with using_session(conversation_id):");
  expect(idLine("@arizeai/openinference-instrumentation-openai")).toMatch("setSession(");
  expect(idLine("ai")).toMatch("sessionId");
  expect(idLine("gen_ai")).toMatch("runtimeContext");
  expect(idLine("opentelemetry.instrumentation.openai.v1")).toMatch("Traceloop.set_association_properties");
  for (const other of ["aiohttp", "my-app", null]) expect(idLine(other)).toMatch('"gen_ai.conversation.id"');
});
