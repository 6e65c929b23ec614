import { expect, test } from "vitest";
import { SNIPPETS, snippet } from "./snippets";

const where = { endpoint: "http://127.0.0.1:3000/v1/otlp", key: "whet_abc_def" };

test("every snippet has the endpoint and the key filled in", () => {
  for (const { value } of SNIPPETS) {
    expect(snippet(value, where)).toContain(where.endpoint);
    expect(snippet(value, where)).toContain(where.key);
  }
});

test("the curl snippet's body is OTLP once the shell has filled in its variables", () => {
  const text = snippet("curl", where);
  const body = /<<'JSON' \|\n([\s\S]*?)\nJSON\n/.exec(text)?.[1];
  const filled = body!
    .replace("TRACE", "0af7651916cd43dd8448eb211c80319c")
    .replace("SPAN", "b7ad6b7169203331")
    .replace("START", "1700000000000000000")
    .replace("END", "1700000000900000000");
  const span = JSON.parse(filled).resourceSpans[0].scopeSpans[0].spans[0];
  expect(span).toMatchObject({ traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" });
  const input = span.attributes.find(({ key }: { key: string }) => key === "gen_ai.input.messages");
  expect(JSON.parse(input.value.stringValue)[0].parts[0].content).toBe("Where is my order 1042?");
});
