import { deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { getTrace, listConversations, projectPending } from "@/server/services/telemetry";
import { chatSpan, otlpJson, type TestSpan, TRACE } from "@/server/services/telemetry/testing";
import { createDispatcher } from "../dispatcher";
import { OPERATIONS } from "../operations";
import { keyFor } from "../testing";

const dispatch = createDispatcher(OPERATIONS);
const SPAN = "00f067aa0ba902b1";
const MIB = 1024 * 1024;

const ADDRESS = { traces: "/v1/otlp/v1/traces", logs: "/v1/otlp/v1/logs" };

async function sender() {
  const { ctx } = await testProject();
  const secret = await keyFor(ctx, "telemetry:write");
  const send = (body: BodyInit, headers: Record<string, string> = {}, signal: keyof typeof ADDRESS = "traces") =>
    dispatch(
      new Request(`http://test${ADDRESS[signal]}`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json", ...headers },
        body,
      }),
    );
  return { ctx, secret, send };
}
const batch = (...spans: TestSpan[]) => JSON.stringify(otlpJson(spans));
const stored = async (ctx: Ctx) => {
  while ((await projectPending(ctx.db)) > 0);
  return (await getTrace(ctx, { traceId: TRACE })).trace.spans;
};

test.each([
  ["plain", (body: Buffer) => body, undefined],
  ["gzip", (body: Buffer) => gzipSync(body), "gzip"],
  ["deflate", (body: Buffer) => deflateSync(body), "deflate"],
  ["deflate without a zlib header", (body: Buffer) => deflateRawSync(body), "deflate"],
])("a batch sent %s is stored and gets a receipt", async (_, pack, encoding) => {
  const { ctx, send } = await sender();
  const reply = await send(
    new Uint8Array(pack(Buffer.from(batch(chatSpan({ spanId: SPAN }))))),
    encoding ? { "content-encoding": encoding } : {},
  );
  expect([reply.status, await reply.json()]).toEqual([200, {}]);
  expect(reply.headers.get("x-whetstone-receipt")).toMatch(/^rcp_/);
  expect(await stored(ctx)).toHaveLength(1);
});

test("the installation's address alone is enough for an exporter: it sends to /v1/traces and /v1/logs", async () => {
  const { ctx, secret } = await sender();
  const send = (path: string, body: string) =>
    dispatch(
      new Request(`http://test${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body,
      }),
    );
  expect((await send("/v1/traces", batch(chatSpan({ spanId: SPAN })))).status).toBe(200);
  expect((await send("/v1/logs", '{"resourceLogs":[]}')).status).toBe(200);
  expect(await stored(ctx)).toHaveLength(1);
});

const METRICS = {
  resourceMetrics: [
    {
      scopeMetrics: [
        {
          metrics: [
            { name: "calls", sum: { dataPoints: [{ asInt: "1" }, { asInt: "2" }] } },
            { name: "duration", histogram: { dataPoints: [{ count: "1" }] } },
          ],
        },
      ],
    },
  ],
};
/** The same batch: one field inside the other, each with its number and length. */
const field = (number: number, ...inner: Uint8Array[]) =>
  Buffer.concat([Buffer.from([number * 8 + 2, Buffer.concat(inner).length]), ...inner]);
const point = field(1, Buffer.from([0x21, 1, 0, 0, 0, 0, 0, 0, 0]));
const METRICS_PROTOBUF = field(1, field(2, field(2, field(7, point, point)), field(2, field(9, point))));

test.each(["/v1/metrics", "/v1/otlp/v1/metrics"])(
  "metrics sent to %s are answered with how many are not stored, and how to stop them",
  async (path) => {
    const { secret } = await sender();
    const send = (body: BodyInit, type: string) =>
      dispatch(
        new Request(`http://test${path}`, {
          method: "POST",
          headers: { authorization: `Bearer ${secret}`, "content-type": type },
          body,
        }),
      );
    const reply = await send(JSON.stringify(METRICS), "application/json");
    expect([reply.status, await reply.json()]).toEqual([
      200,
      {
        partialSuccess: { rejectedDataPoints: 3, errorMessage: expect.stringContaining("OTEL_METRICS_EXPORTER=none") },
      },
    ]);
    const binary = await send(new Uint8Array(METRICS_PROTOBUF), "application/x-protobuf");
    const bytes = Buffer.from(await binary.arrayBuffer());
    expect([binary.status, bytes[0], bytes[2], bytes[3]]).toEqual([200, 10, 8, 3]);
    expect(bytes.toString()).toContain("OTEL_METRICS_EXPORTER=none");
    for (const [body, type] of [
      ["[]", "application/json"],
      [new Uint8Array([10, 200, 1]), "application/x-protobuf"],
    ] as const) {
      expect((await send(body, type)).status).toBe(400);
    }
    expect(await (await send("{}", "application/json")).json()).toEqual({});
  },
);

test("a media type with parameters is accepted, and another media type or encoding is a 415", async () => {
  const { send } = await sender();
  expect((await send(batch(), { "content-type": "application/json; charset=utf-8" })).status).toBe(200);
  const refused = await send("<xml/>", { "content-type": "text/xml" });
  expect([refused.status, (await refused.json()).code]).toEqual([415, "unsupported_media_type"]);
  expect((await send(batch(), { "content-encoding": "br" })).status).toBe(415);
});

test("a gzip bomb is refused", async () => {
  const { send } = await sender();
  const bomb = gzipSync(Buffer.alloc(200 * MIB));
  expect(bomb.byteLength).toBeLessThan(MIB);
  expect((await send(new Uint8Array(bomb), { "content-encoding": "gzip" })).status).toBe(413);
  expect(
    (await send(new Uint8Array(deflateSync(Buffer.alloc(20 * MIB))), { "content-encoding": "deflate" })).status,
  ).toBe(413);
});

test("a body over 16 MiB is refused", async () => {
  const { send } = await sender();
  expect((await send(new Uint8Array(17 * MIB))).status).toBe(413);
});

test.each([
  ["truncated protobuf", new Uint8Array([10, 200, 1, 10, 5, 1]), { "content-type": "application/x-protobuf" }],
  ["JSON that ends early", '{"resourceSpans":[', {}],
  ["JSON that is no batch", "[1,2]", {}],
  ["gzip that is none", "not gzip", { "content-encoding": "gzip" }],
])("%s is a 400 with a reason, never a 500", async (_, body, headers) => {
  const { send } = await sender();
  const reply = await send(body, headers as Record<string, string>);
  expect(reply.status).toBe(400);
  expect(await reply.json()).toMatchObject({ code: "invalid", detail: expect.stringMatching(/\w/) });
});

test("a bad span is rejected with a reason, and the other spans of its batch are kept", async () => {
  const { ctx, send } = await sender();
  const far = Date.UTC(2300, 0, 1);
  const reply = await send(
    batch(
      chatSpan({ spanId: SPAN }),
      { spanId: "short" },
      { spanId: "0000000000000000" },
      { traceId: "00", spanId: "00f067aa0ba902b2" },
      { spanId: "00f067aa0ba902b3", startMs: far },
    ),
  );
  const { partialSuccess } = await reply.json();
  expect([reply.status, partialSuccess.rejectedSpans]).toEqual([200, 4]);
  expect(partialSuccess.errorMessage).toMatch(/\w/);
  expect((await stored(ctx)).map((span) => span.spanId)).toEqual([SPAN]);
});

test("NUL, lone surrogates and __proto__ are stored as harmless text", async () => {
  const { ctx, send } = await sender();
  const hostile = chatSpan({
    spanId: SPAN,
    name: "a\u0000b\ud800",
    attributes: {
      "user.id": "x\u0000\udfff",
      __proto__: "polluted",
      constructor: "c",
      "llm.input_messages.99999.message.role": "user",
    },
  });
  Object.defineProperty(hostile.attributes, "__proto__", { value: "polluted", enumerable: true });
  expect((await send(batch(hostile))).status).toBe(200);
  const [span] = await stored(ctx);
  expect(span!.name).toBe("a\ufffdb\ufffd");
  expect(span!.unmapped).toContain("__proto__");
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect((await listConversations(ctx, {})).conversations[0]!.userId).toBe("x\ufffd\ufffd");
});

test("an attribute of 10 MB is stored truncated, with a mark, and its span is still read", async () => {
  const { ctx, send } = await sender();
  expect((await send(batch(chatSpan({ spanId: SPAN, attributes: { note: "x".repeat(10 * MIB) } })))).status).toBe(200);
  const [span] = await stored(ctx);
  const note = span!.attributes.note as string;
  expect(note.length).toBeLessThan(2 * MIB);
  expect(note).toMatch(/cut here/);
  expect(span!.type).toBe("llm");
});

test("content in log records is attached to its span, and sending the record again changes nothing", async () => {
  const { ctx, send } = await sender();
  const {
    "gen_ai.input.messages": _in,
    "gen_ai.output.messages": _out,
    ...bare
  } = chatSpan({ spanId: SPAN }).attributes!;
  const log = (name: string, body: object) => ({
    timeUnixNano: "1793534400000000000",
    traceId: TRACE,
    spanId: SPAN,
    eventName: name,
    attributes: [{ key: "event.name", value: { stringValue: name } }],
    body: {
      kvlistValue: { values: Object.entries(body).map(([key, value]) => ({ key, value: { stringValue: value } })) },
    },
  });
  const logs = JSON.stringify({
    resourceLogs: [{ scopeLogs: [{ logRecords: [log("gen_ai.user.message", { content: "From a log" })] }] }],
  });
  expect((await send(logs, {}, "logs")).status).toBe(200);
  await send(batch({ spanId: SPAN, attributes: bare }));
  await stored(ctx);
  const first = (await listConversations(ctx, {})).conversations[0]!;
  expect(first).toMatchObject({ preview: "From a log" });
  // Sending the same record again changes nothing.
  const again = await send(logs, {}, "logs");
  expect(again.status).toBe(200);
  await stored(ctx);
  expect((await listConversations(ctx, {})).conversations[0]).toEqual(first);
});

test("a batch is refused without a key that may write", async () => {
  const { ctx } = await sender();
  const post = (authorization: string) =>
    dispatch(
      new Request("http://test/v1/otlp/v1/traces", {
        method: "POST",
        headers: { authorization, "content-type": "application/json" },
        body: batch(),
      }),
    );
  expect((await post("Bearer whet_nonsense")).status).toBe(401);
  expect((await post(`Bearer ${await keyFor(ctx, "diagnostics:read")}`)).status).toBe(403);
  const wrongMethod = await dispatch(new Request("http://test/v1/otlp/v1/traces"));
  expect([wrongMethod.status, wrongMethod.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
});
