import fc from "fast-check";
import { beforeAll, expect, test, vi } from "vitest";
import { testProject } from "@/db/testing/test-project";
import * as cursors from "@/server/platform/cursor";
import { createDispatcher } from "@/server/rest/dispatcher";
import { fieldsOf } from "@/server/rest/http/fields";
import { isProjectQualified, type VerbOperation } from "@/server/rest/operation";
import { OPERATIONS } from "@/server/rest/operations";
import { cookieFor, keyFor, requestTo } from "@/server/rest/testing";
import { tracesProtobuf } from "@/server/services/telemetry/otlp/testing/encode-otlp";
import { attachTrainer } from "@/testbed/trainers/attach-trainer";

// Without a trainer, every fine-tuning route returns the same 501.
beforeAll(attachTrainer);

/** The lists that requests read, with their filters: a cursor must be bound to them to be accepted. */
const asked: { name: string; filters: object }[] = [];
vi.mock(import("@/server/platform/cursor"), async (original) => {
  const module = await original();
  return {
    ...module,
    newestFirst: (list) => {
      asked.push(list);
      return module.newestFirst(list);
    },
  };
});

const dispatch = createDispatcher(OPERATIONS);
const NOW = Date.now();
const SPAN = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "00f067aa0ba902b1", start: NOW, end: NOW };
const number = fc.oneof(
  fc.constantFrom(
    99999,
    -1,
    1.5,
    2 ** 31,
    -(2 ** 31),
    2 ** 53,
    1e300,
    Number.MAX_SAFE_INTEGER,
    "99999",
    "SPAN_KIND_NONE",
  ),
  fc.double(),
  fc.integer(),
);
const hostile = fc.oneof(number, fc.jsonValue({ maxDepth: 2 }), fc.string({ unit: "binary" }), fc.constant("\u0000"));

async function otlp() {
  const { ctx } = await testProject();
  const key = await keyFor(ctx, "telemetry:write");
  const send = (signal: string, body: string | Uint8Array, type = "application/json") =>
    dispatch(requestTo("POST", `/v1/otlp/v1/${signal}`, { key, body, headers: { "content-type": type } }));
  return { ctx, send };
}

test.each([99999, -5, 1.5, "99999", null, {}])(
  "a span of the unknown kind %j is accepted, as JSON and as protobuf",
  async (kind) => {
    const { send } = await otlp();
    const span = { traceId: SPAN.traceId, spanId: SPAN.spanId, kind, startTimeUnixNano: `${NOW}000000` };
    const reply = await send("traces", JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }));
    expect([reply.status, await reply.json()]).toEqual([200, {}]);
    const whole = typeof kind === "number" && Number.isInteger(kind) ? kind : 99999;
    const sent = await send(
      "traces",
      new Uint8Array(tracesProtobuf([{ ...SPAN, kind: whole }])),
      "application/x-protobuf",
    );
    expect(sent.status).toBe(200);
  },
);

test("any values in the fields of spans and log records are stored or refused with a reason", async () => {
  const { send } = await otlp();
  const span = fc.record(
    {
      kind: hostile,
      name: hostile,
      parentSpanId: hostile,
      startTimeUnixNano: fc.oneof(hostile, fc.constant(`${NOW}000000`)),
      endTimeUnixNano: hostile,
      status: fc.oneof(hostile, fc.record({ code: hostile, message: hostile })),
      events: fc.oneof(
        hostile,
        fc.array(fc.record({ name: hostile, timeUnixNano: hostile, attributes: hostile }), { maxLength: 2 }),
      ),
      attributes: fc.oneof(
        hostile,
        fc.array(
          fc.record({
            key: hostile,
            value: fc.oneof(hostile, fc.record({ intValue: hostile }), fc.record({ doubleValue: hostile })),
          }),
          { maxLength: 3 },
        ),
      ),
      traceState: hostile,
      links: hostile,
      flags: hostile,
    },
    { requiredKeys: [] },
  );
  const log = fc.record(
    {
      severityNumber: hostile,
      timeUnixNano: hostile,
      observedTimeUnixNano: hostile,
      eventName: hostile,
      body: fc.oneof(hostile, fc.record({ stringValue: hostile }), fc.record({ kvlistValue: hostile })),
      attributes: hostile,
      spanId: hostile,
    },
    { requiredKeys: [] },
  );
  const owner = fc.record({ resource: hostile, scope: hostile }, { requiredKeys: [] });
  const ids = { traceId: SPAN.traceId, spanId: SPAN.spanId };
  await fc.assert(
    fc.asyncProperty(
      fc.array(span, { maxLength: 3 }),
      fc.array(log, { maxLength: 3 }),
      owner,
      async (spans, logs, { resource, scope }) => {
        const scopeSpans = [{ scope, spans: spans.map((one) => ({ ...ids, ...one })) }];
        const scopeLogs = [{ scope, logRecords: logs.map((one) => ({ traceId: SPAN.traceId, ...one })) }];
        for (const [signal, body] of [
          ["traces", { resourceSpans: [{ resource, scopeSpans }] }],
          ["logs", { resourceLogs: [{ resource, scopeLogs }] }],
        ] as const) {
          const reply = await send(signal, JSON.stringify(body));
          expect({ status: reply.status, body }).toEqual({ status: 200, body });
        }
      },
    ),
    { numRuns: 150 },
  );
});

test("a protobuf body with changed bytes is stored or refused with a 400", async () => {
  const { send } = await otlp();
  const body = tracesProtobuf([
    { ...SPAN, kind: 3, name: "chat", attributes: { a: 1, b: "x", c: [1.5, { d: true }] } },
  ]);
  const change = fc.tuple(fc.nat(body.length - 1), fc.nat(255));
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
      const bytes = new Uint8Array(body);
      for (const [at, byte] of changes) bytes[at] = byte;
      for (const signal of ["traces", "logs"]) {
        const { status } = await send(signal, bytes, "application/x-protobuf");
        expect({ status: [200, 400].includes(status), changes }).toEqual({ status: true, changes });
      }
    }),
    { numRuns: 200 },
  );
});

test("every list refuses an invented cursor, whatever it contains", async () => {
  const { ctx, userId } = await testProject();
  const { cookie } = await cookieFor(userId);
  const lists = OPERATIONS.filter(
    (operation): operation is VerbOperation =>
      "verb" in operation &&
      operation.method === "GET" &&
      isProjectQualified(operation.path) &&
      "cursor" in fieldsOf(operation.verb.spec.input) &&
      (operation.path.match(/:/g) ?? []).length === 1,
  );
  expect(lists.length).toBeGreaterThan(8);
  const positions = [
    [1.5],
    [1.5, "id"],
    [1e300, "id"],
    [2 ** 53, "id"],
    ["1", "id"],
    [null, "id"],
    [1, null],
    [1, "a\u0000"],
    [1, "\ud800"],
    [1, "id", 2],
    {},
    "x",
    null,
  ];
  const whole = [[1.5], 1.5, "x", {}, null, [[]], ["x", [1, "id"]]];
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const wrong: string[] = [];
  for (const { path } of lists) {
    const at = `/v1${path.replace(":projectId", ctx.projectId)}`;
    const ask = async (cursor: string) => {
      const { status } = await dispatch(
        requestTo("GET", `${at}?limit=1&cursor=${encodeURIComponent(cursor)}`, { cookie }),
      );
      if (status !== 400) wrong.push(`${path} ${Buffer.from(cursor, "base64url")}: ${status}`);
    };
    asked.length = 0;
    await dispatch(requestTo("GET", `${at}?limit=1`, { cookie }));
    const list = asked[0];
    const bound = list && cursors.cursorFor(list.name, list.filters).encode([1, "id"]);
    const [digest] = bound ? (JSON.parse(Buffer.from(bound, "base64url").toString()) as string[]) : [];
    for (const value of whole) await ask(encoded(value));
    for (const position of list ? positions : []) await ask(encoded([digest, position]));
    for (const text of ["", "%%%", "a".repeat(2000), "[1.5]"]) await ask(text);
  }
  expect(wrong).toEqual([]);
});
