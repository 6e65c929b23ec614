import { describe, expect, test } from "vitest";
import { idOf, NOW, TRACE } from "../testing/conversations";
import { logsProtobuf, type SentSpan, tracesJson, tracesProtobuf } from "../testing/encode-otlp";
import { decodeLogs } from "./decode-logs";
import { decodeTraces } from "./decode-traces";
import { MAX_ATTRIBUTES, MAX_TEXT_CHARACTERS } from "./limits";
import { MalformedBody } from "./malformed-body";

const SPAN = { traceId: TRACE, spanId: idOf(1), name: "chat", start: NOW, end: NOW + 5 } as const;
const fromJson = (body: unknown) => decodeTraces(Buffer.from(JSON.stringify(body)), "json", NOW);
const rawSpan = (fields: object) =>
  fromJson({
    resourceSpans: [
      { scopeSpans: [{ spans: [{ traceId: TRACE, spanId: idOf(1), startTimeUnixNano: "1000", ...fields }] }] },
    ],
  });
const both = (spans: SentSpan[]) => [
  decodeTraces(tracesJson(spans), "json", NOW),
  decodeTraces(tracesProtobuf(spans), "protobuf", NOW),
];

describe("a span", () => {
  const sent: SentSpan = {
    ...SPAN,
    parentSpanId: idOf(2),
    kind: 3,
    attributes: {
      text: "héllo 😊",
      whole: 42,
      negative: -7,
      half: 0.5,
      yes: true,
      list: ["a", 1],
      map: { a: { b: [true] } },
      none: null,
    },
    events: [{ name: "exception", at: NOW + 1, attributes: { "exception.type": "Oops" } }, { name: "timeless" }],
    status: { code: 2, message: "broken" },
  };
  const resource = { "service.name": "desk" };

  test("is the same from JSON and from protobuf", () => {
    const owner = { resource, scope: "tests" };
    const json = decodeTraces(tracesJson([sent], owner), "json", NOW);
    expect(decodeTraces(tracesProtobuf([sent], owner), "protobuf", NOW)).toEqual(json);
    expect(json).toEqual({
      received: 1,
      rejections: [],
      items: [
        {
          traceId: TRACE,
          spanId: idOf(1),
          parentSpanId: idOf(2),
          name: "chat",
          kind: 3,
          scope: { name: "tests", version: "" },
          resource,
          attributes: sent.attributes,
          events: [
            { name: "exception", timeUs: (NOW + 1) * 1000, attributes: { "exception.type": "Oops" } },
            { name: "timeless", timeUs: NOW * 1000, attributes: {} },
          ],
          status: { code: 2, message: "broken" },
          startedUs: NOW * 1000,
          endedUs: (NOW + 5) * 1000,
          arrival: 0,
        },
      ],
    });
  });

  test("without an end, or with one before its start, ends when it starts", () => {
    for (const { items } of both([
      { ...SPAN, end: undefined as never },
      { ...SPAN, end: NOW - 10 },
    ])) {
      expect(items.map((span) => span.endedUs)).toEqual([NOW * 1000, NOW * 1000]);
    }
  });

  test("gets its scope and resource even if they follow it on the wire", () => {
    const field = (number: number, ...inside: Uint8Array[]) => {
      const bytes = Buffer.concat(inside);
      return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
    };
    const ids = [field(1, Buffer.from(TRACE, "hex")), field(2, Buffer.from(idOf(1), "hex"))];
    const start = Buffer.concat([Buffer.from([(7 << 3) | 1]), Buffer.from([0, 0, 0, 0, 1, 0, 0, 0])]);
    const scopeSpans = field(2, field(2, ...ids, start), field(1, field(1, Buffer.from("late"))));
    const attribute = field(1, field(1, Buffer.from("a")), field(2, field(1, Buffer.from("b"))));
    const { items } = decodeTraces(field(1, scopeSpans, field(1, attribute)), "protobuf", NOW);
    expect(items).toMatchObject([{ scope: { name: "late" }, resource: { a: "b" } }]);
  });
});

describe("OTLP/JSON variants of real exporters", () => {
  test.each([
    ["hex", TRACE, "00f067aa0ba902b7"],
    ["upper-case hex", TRACE.toUpperCase(), "00F067AA0BA902B7"],
    ["base64", Buffer.from(TRACE, "hex").toString("base64"), Buffer.from("00f067aa0ba902b7", "hex").toString("base64")],
    [
      "unpadded base64",
      Buffer.from(TRACE, "hex").toString("base64url"),
      Buffer.from("00f067aa0ba902b7", "hex").toString("base64url"),
    ],
  ])("ids in %s", (_name, traceId, spanId) => {
    expect(rawSpan({ traceId, spanId }).items).toMatchObject([{ traceId: TRACE, spanId: "00f067aa0ba902b7" }]);
  });

  test("integers as numbers or text, enums as numbers or names", () => {
    const attributes = [
      { key: "a", value: { intValue: 7 } },
      { key: "b", value: { intValue: "8" } },
      { key: "c", value: { intValue: "9223372036854775807" } },
      { key: "d", value: { doubleValue: "NaN" } },
    ];
    expect(
      rawSpan({ attributes, kind: "SPAN_KIND_CLIENT", status: { code: "STATUS_CODE_ERROR" } }).items,
    ).toMatchObject([
      { kind: 3, status: { code: 2, message: null }, attributes: { a: 7, b: 8, c: "9223372036854775807", d: "NaN" } },
    ]);
    expect(rawSpan({ kind: 2, status: { code: 1 } }).items).toMatchObject([{ kind: 2, status: { code: 1 } }]);
  });

  test("times as text, as numbers, and as two 32-bit halves", () => {
    const times = ["1738074845669299666", 1738074845669299700, { low: 0x6a6ca3d2, high: 404677353 }];
    const read = times.map((startTimeUnixNano) => rawSpan({ startTimeUnixNano }).items[0]?.startedUs);
    expect(read.slice(0, 2)).toEqual([1738074845669299, 1738074845669299]);
    expect(read[2]).toBeGreaterThan(1_700_000_000_000_000);
  });

  test("snake_case names and a byte-order mark", () => {
    const body = {
      resource_spans: [
        { scope_spans: [{ spans: [{ trace_id: TRACE, span_id: idOf(1), start_time_unix_nano: "1000" }] }] },
      ],
    };
    const { items } = decodeTraces(Buffer.from(`\uFEFF${JSON.stringify(body)}`), "json", NOW);
    expect(items).toMatchObject([{ traceId: TRACE, startedUs: 1 }]);
  });

  test("no scope, no resource, no attributes, no status", () => {
    expect(rawSpan({}).items).toMatchObject([
      { scope: { name: "" }, resource: {}, attributes: {}, status: { code: 0, message: null } },
    ]);
  });
});

test("whole numbers beyond JavaScript's keep their digits", () => {
  const text = `{"resourceSpans":[{"scopeSpans":[{"spans":[
    {"traceId":"${TRACE}","spanId":"${idOf(1)}","startTimeUnixNano":1738074845669299666,"attributes":[
      {"key":"id","value":{"intValue":1234567890123456789}},{"key":"rate","value":{"doubleValue":0.5}},
      {"key":"ids","value":{"arrayValue":{"values":[{"intValue":-9007199254740993},{"intValue":7}]}}}]},
    {"traceId":"${TRACE}","spanId":"${idOf(2)}","startTimeUnixNano":"1738074845669299666"}]}]}]}`;
  const { items, received } = decodeTraces(Buffer.from(text), "json", NOW);
  expect(received).toBe(2);
  expect(items).toMatchObject([
    {
      attributes: { id: "1234567890123456789", rate: 0.5, ids: ["-9007199254740993", 7] },
      startedUs: 1738074845669299,
    },
    { spanId: idOf(2) },
  ]);
});

describe("a bad span is rejected and the others are accepted", () => {
  const day = 86_400_000;
  test.each<[reason: RegExp, bad: SentSpan]>([
    [/traceId/, { ...SPAN, traceId: undefined as never }],
    [/traceId/, { ...SPAN, traceId: "0".repeat(32) }],
    [/traceId/, { ...SPAN, traceId: "abcd" }],
    [/spanId/, { ...SPAN, spanId: "0".repeat(16) }],
    [/spanId/, { ...SPAN, spanId: "abcdef" }],
    [/startTimeUnixNano is missing/, { ...SPAN, start: undefined as never, end: undefined as never }],
    [/startTimeUnixNano is more than a day/, { ...SPAN, start: NOW + day + 1, end: NOW + day + 1 }],
    [/endTimeUnixNano is more than a day/, { ...SPAN, end: NOW + day + 1 }],
    [/startTimeUnixNano is in seconds, not nano/, { ...SPAN, start: NOW / 1e9, end: NOW / 1e9 }],
    [/startTimeUnixNano is in milliseconds, not nano/, { ...SPAN, start: NOW / 1e6, end: NOW / 1e6 }],
    [/startTimeUnixNano is in microseconds, not nano/, { ...SPAN, start: NOW / 1e3, end: NOW / 1e3 }],
    [/endTimeUnixNano is in milliseconds, not nano/, { ...SPAN, end: NOW / 1e6 }],
    [
      /attributes/,
      {
        ...SPAN,
        attributes: Object.fromEntries(Array.from({ length: MAX_ATTRIBUTES + 1 }, (_, index) => [`a${index}`, 1])),
      },
    ],
  ])("%s", (reason, bad) => {
    for (const decoded of both([SPAN, bad, { ...SPAN, spanId: idOf(3) }])) {
      expect(decoded.received).toBe(3);
      expect(decoded.items.map((span) => span.spanId)).toEqual([idOf(1), idOf(3)]);
      expect(decoded.rejections).toMatchObject([{ index: 1, reason: expect.stringMatching(reason) }]);
    }
  });

  test("if its time is not a number or it is not an object", () => {
    const spans = [{ traceId: TRACE, spanId: idOf(1), startTimeUnixNano: "yesterday" }, "span", null];
    const { rejections } = fromJson({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
    expect(rejections.map(({ reason }) => reason)).toEqual([
      "startTimeUnixNano is not a number of nanoseconds",
      "is not an object",
      "is not an object",
    ]);
  });

  test("a time less than a day ahead is accepted", () => {
    for (const decoded of both([{ ...SPAN, start: NOW + day - 1, end: NOW + day - 1 }]))
      expect(decoded.items).toHaveLength(1);
  });

  test("logs posted to the traces path are rejected", () => {
    const logs = logsProtobuf([{ traceId: TRACE, spanId: idOf(1), at: NOW, body: "hello", attributes: { a: 1 } }]);
    const { items, received, rejections } = decodeTraces(logs, "protobuf", NOW);
    expect({ items, received }).toEqual({ items: [], received: 1 });
    expect(rejections).toHaveLength(1);
  });
});

describe("an unreadable body is rejected as a whole", () => {
  test.each([
    ["text", "hello"],
    ["a list", "[]"],
    ["a number", "1"],
    ["nothing", ""],
    ["cut JSON", '{"resourceSpans":[{'],
    ["logs", '{"resourceLogs":[]}'],
    ["spans that are no list", '{"resourceSpans":{}}'],
  ])("%s", (_name, text) => {
    expect(() => decodeTraces(Buffer.from(text), "json", NOW)).toThrow(MalformedBody);
  });

  test("an empty request is not malformed", () => {
    expect(fromJson({})).toEqual({ items: [], received: 0, rejections: [] });
    expect(decodeTraces(new Uint8Array(0), "protobuf", NOW).received).toBe(0);
  });

  test("protobuf truncated at any byte", () => {
    const whole = tracesProtobuf([{ ...SPAN, attributes: { a: "text", b: [1, 2] } }]);
    for (let length = 1; length < whole.length; length++) {
      expect(() => decodeTraces(whole.subarray(0, length), "protobuf", NOW)).toThrow(MalformedBody);
    }
  });

  test("JSON sent as protobuf", () => {
    expect(() => decodeTraces(tracesJson([SPAN]), "protobuf", NOW)).toThrow(MalformedBody);
  });
});

describe("accepted items can be stored", () => {
  test("NUL and lone surrogates become the replacement character", () => {
    const attributes = [{ key: "a\0b", value: { stringValue: "x\0y \ud800 😊" } }];
    expect(rawSpan({ name: "n\0", attributes }).items).toMatchObject([
      { name: "n\uFFFD", attributes: { "a\uFFFDb": "x\uFFFDy \uFFFD 😊" } },
    ]);
    const [span] = decodeTraces(tracesProtobuf([{ ...SPAN, attributes: { a: "x\0y" } }]), "protobuf", NOW).items;
    expect(span?.attributes.a).toBe("x\uFFFDy");
  });

  test("__proto__ is an ordinary name", () => {
    const attributes = [
      { key: "__proto__", value: { kvlistValue: { values: [{ key: "polluted", value: { boolValue: true } }] } } },
    ];
    const [span] = rawSpan({ attributes }).items;
    expect(Object.keys(span?.attributes ?? {})).toEqual(["__proto__"]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test("long text is cut with a visible marker", () => {
    for (const { items } of both([{ ...SPAN, attributes: { long: "x".repeat(10 * MAX_TEXT_CHARACTERS) } }])) {
      const kept = items[0]?.attributes.long as string;
      expect(kept.length).toBeLessThan(MAX_TEXT_CHARACTERS + 100);
      expect(kept).toMatch(/… \[cut here: 9437184 more characters\]$/);
    }
  });

  test("long JSON text keeps its structure and its long texts are cut", () => {
    const messages = [
      { role: "user", content: "look" },
      { role: "user", content: "A".repeat(3 * MAX_TEXT_CHARACTERS) },
      { role: "user", content: "well?" },
    ];
    for (const { items } of both([{ ...SPAN, attributes: { messages: JSON.stringify(messages) } }])) {
      const kept = JSON.parse(items[0]?.attributes.messages as string);
      expect(kept.map(({ content }: { content: string }) => content.slice(-30))).toEqual([
        "look",
        expect.stringContaining("more characters]"),
        "well?",
      ]);
    }
  });

  test("endlessly nested values are cut off", () => {
    const value = `${'{"arrayValue":{"values":['.repeat(10_000)}{"intValue":1}${"]}}".repeat(10_000)}`;
    const span = `{"traceId":"${TRACE}","spanId":"${idOf(1)}","startTimeUnixNano":"1000","attributes":[{"key":"a","value":${value}}]}`;
    const body = Buffer.from(`{"resourceSpans":[{"scopeSpans":[{"spans":[${span}]}]}]}`);
    expect(JSON.stringify(decodeTraces(body, "json", NOW).items)).toContain("[nested too deeply]");
  });
});

describe("a log record", () => {
  test("is read with or without ids, with its event name in a field or an attribute", () => {
    const { items, rejections } = decodeLogs(
      logsProtobuf([
        {
          traceId: TRACE,
          spanId: idOf(1),
          at: NOW,
          eventName: "gen_ai.choice",
          body: { index: 0, message: { content: "hi" } },
        },
        { at: NOW, attributes: { "event.name": "gen_ai.user.message" }, body: "" },
        {},
      ]),
      "protobuf",
      NOW,
    );
    expect(rejections).toEqual([]);
    expect(items).toMatchObject([
      { traceId: TRACE, spanId: idOf(1), eventName: "gen_ai.choice", body: { index: 0, message: { content: "hi" } } },
      { traceId: null, spanId: null, eventName: "gen_ai.user.message", body: "" },
      { traceId: null, eventName: null, timeUs: NOW * 1000, body: null },
    ]);
  });

  test("is read from JSON", () => {
    const logRecords = [
      {
        timeUnixNano: "2000",
        severityNumber: 9,
        body: { stringValue: "hi" },
        eventName: "e",
        traceId: TRACE,
        spanId: idOf(1),
      },
      5,
    ];
    const body = { resourceLogs: [{ scopeLogs: [{ logRecords }] }] };
    const { items, rejections } = decodeLogs(Buffer.from(JSON.stringify(body)), "json", NOW);
    expect(items).toMatchObject([{ timeUs: 2, severity: 9, body: "hi", eventName: "e", traceId: TRACE }]);
    expect(rejections).toMatchObject([{ index: 1 }]);
  });

  test.each([
    ["one before it", [NOW, undefined, NOW + 2, undefined], [NOW, NOW, NOW + 2, NOW + 2]],
    ["the first one with a time", [undefined, undefined, NOW - 5], [NOW - 5, NOW - 5, NOW - 5]],
    ["now, without any", [undefined, undefined], [NOW, NOW]],
  ])("without a time, has that of its span's %s", (_, sent, expected) => {
    const logs = sent.map((at) => ({
      traceId: TRACE,
      spanId: idOf(1),
      body: "hi",
      ...(at === undefined ? {} : { at }),
    }));
    const { items } = decodeLogs(
      logsProtobuf([{ traceId: TRACE, spanId: idOf(2), at: NOW - 9 }, ...logs]),
      "protobuf",
      NOW,
    );
    expect(items.slice(1).map(({ timeUs }) => timeUs / 1000)).toEqual(expected);
  });

  test("in milliseconds is rejected", () => {
    const { rejections } = decodeLogs(logsProtobuf([{ at: NOW / 1e6 }]), "protobuf", NOW);
    expect(rejections).toMatchObject([{ reason: "timeUnixNano is in milliseconds, not nanoseconds" }]);
  });

  test.each([
    ["9", 9],
    [{ toString: "" }, null],
    [[9], null],
    [-1, null],
  ])("a severity of %j is read as %j", (severityNumber, severity) => {
    const body = { resourceLogs: [{ scopeLogs: [{ logRecords: [{ traceId: TRACE, severityNumber }] }] }] };
    expect(decodeLogs(Buffer.from(JSON.stringify(body)), "json", NOW).items).toMatchObject([{ severity }]);
  });
});
