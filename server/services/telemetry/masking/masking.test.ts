import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Attributes, LogRecord, SpanRecord } from "../otlp/types";
import { maskLogs, maskSpans } from ".";
import { maskText } from "./mask-text";

/** Pseudonyms of ids are derived from the installation's secret; nothing here uses a database. */
Object.assign(process.env, { DATABASE_URL: "postgres://unused", WHETSTONE_SECRET: "x".repeat(32) });

const span = (given: Partial<SpanRecord>): SpanRecord => ({
  traceId: "1".repeat(32),
  spanId: "1".repeat(16),
  parentSpanId: null,
  name: "span",
  kind: 1,
  scope: { name: "", version: "" },
  resource: {},
  attributes: {},
  events: [],
  status: { code: 0, message: null },
  startedUs: 1,
  endedUs: 2,
  arrival: 0,
  ...given,
});
const batchOf = <Item>(...items: Item[]) => ({ items, received: items.length, rejections: [] });
function spanMasked(given: Partial<SpanRecord>, messages = false) {
  const { items, masked } = maskSpans(batchOf(span(given)), { messages });
  return { span: items[0] as SpanRecord, masked };
}
function attributesMasked(attributes: Attributes, messages = false) {
  const { span: stored, masked } = spanMasked({ attributes }, messages);
  return { attributes: { ...stored.attributes }, masked };
}
const masked = (text: string) => maskText(text, { masked: 0 });

// Concatenated, so that secret scanners do not report this file.
const hex = (length: number) => "0123456789abcdef".repeat(20).slice(0, length);
const KEYS: Record<string, string> = {
  openai: `sk-proj-${hex(40)}`,
  openaiOld: `sk-${hex(48)}`,
  anthropic: `sk-ant-api03-${hex(60)}-AA`,
  openrouter: `sk-or-v1-${hex(64)}`,
  google: `AIza${"SyB-".padEnd(35, "x1")}`,
  awsId: `AKIA${"IOSFODNN7EXAMPLE"}`,
  awsTemporaryId: `ASIA${"IOSFODNN7EXAMPLE"}`,
  github: `ghp_${hex(36)}`,
  githubFine: `github_pat_${hex(22)}_${hex(50)}`,
  gitlab: `glpat-${hex(20)}`,
  slack: `xoxb-1234567890-${hex(24)}`,
  stripe: `sk_live_${hex(24)}`,
  huggingFace: `hf_${hex(34)}`,
  ours: `whet_${hex(32)}_${hex(46)}`,
  jwt: `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${hex(43)}`,
  bearer: "Bearer abcdef0123456789",
  basic: `Basic ${Buffer.from("ann:hunter2").toString("base64")}`,
  pem: `-----BEGIN RSA PRIVATE KEY-----\nMIIEow${hex(64)}\n${hex(64)}==\n-----END RSA PRIVATE KEY-----`,
};

describe("secrets recognised by their format", () => {
  test.each(Object.entries(KEYS))(
    "%s is masked in plain text and in JSON, and the text around it is kept",
    (_, secret) => {
      const bare = secret.replace(/^(?:Bearer|Basic) /, "");
      for (const text of [
        `before ${secret} after`,
        JSON.stringify({ note: `before ${secret} after` }),
        `(${secret})`,
      ]) {
        const safe = masked(text);
        expect(safe).not.toContain(bare);
        expect(safe).toContain("[masked: ");
        if (text.includes("before")) expect(safe).toMatch(/before .*\[masked: [^\]]+\] after/);
        if (text.startsWith("{")) expect(JSON.parse(safe)).toEqual({ note: expect.any(String) });
      }
    },
  );

  test("an AWS secret access key is recognised next to its id", () => {
    const secret = `wJalrXUtnFEMI/K7MDENG/${"bPxRfiCYEXAMPLEKEY"}`;
    expect(masked(`${KEYS.awsId}:${secret}`)).toBe("[masked: AWS key id]:[masked: AWS secret key]");
    expect(masked(`commit ${hex(40)}`)).toBe(`commit ${hex(40)}`);
    expect(masked(`export AWS_SECRET_ACCESS_KEY=${secret}`)).toBe("export AWS_SECRET_ACCESS_KEY=[masked: value]");
  });

  test("passwords in URLs are masked even if partly unescaped, and the rest of the URL is kept", () => {
    expect(masked("postgres://app:hunter2@db.internal:5432/shop")).toBe(
      "postgres://app:[masked: password]@db.internal:5432/shop",
    );
    expect(masked("redis://:p@ss:w@cache:6379, then amqp://u:x@mq")).toBe(
      "redis://:[masked: password]@cache:6379, then amqp://u:[masked: password]@mq",
    );
    expect(masked("https://api.example.com/v1?api_key=abc123&x=1&sig=zzz#a")).toBe(
      "https://api.example.com/v1?api_key=[masked: value]&x=1&sig=[masked: value]#a",
    );
    const harmless = "mailto:ann@example.com http://example.com:8080/@ann https://ann@example.com/";
    expect(masked(harmless)).toBe(harmless);
  });

  test("values after the name of a secret are masked in code, logs, headers and nested JSON", () => {
    const cases: [string, string][] = [
      ["Server=db;Password=hunter2;Database=x", "Server=db;Password=[masked: value];Database=x"],
      ["{ apiKey: 'abc', retries: 2 }", "{ apiKey: '[masked: value]', retries: 2 }"],
      ["{'api_key': 'abc', 'model': 'm'}", "{'api_key': '[masked: value]', 'model': 'm'}"],
      ["--client-secret=abc --verbose", "--client-secret=[masked: value] --verbose"],
      ["x-api-key: abc\nhost: example.com", "x-api-key: [masked: value]\nhost: example.com"],
      [
        String.raw`body={"a":"{\"password\":\"x\\\"y\",\"b\":1}"}`,
        String.raw`body={"a":"{\"password\":\"[masked: value]\",\"b\":1}"}`,
      ],
    ];
    for (const [text, safe] of cases) expect(masked(text)).toBe(safe);
  });

  test("text that only resembles a secret is not masked", () => {
    for (const text of [
      "Please use basic authentication or a bearer authentication scheme.",
      "password: must have 8 characters",
      "task-0123456789abcdef0123456789",
      "pip install sk-learn-contrib-interpretable-models",
      '{"max_tokens": 100, "token": "Hello", "stop_token": "x", "keyword": "y"}',
      "user_api_key_alias=team-a next_page_token=abc",
      "PWD=/home/app",
      "api_key=None password='' secret=null",
      "11111111-2222-4333-8444-555555555555",
    ])
      expect(masked(text)).toBe(text);
  });

  test("masking is idempotent", () => {
    const text = `${Object.values(KEYS).join(" ")} password="x y" postgres://a:b@c`;
    const once = masked(text);
    expect(masked(once)).toBe(once);
  });

  test("JSON stays valid JSON with the same names", () => {
    const piece = fc.oneof(
      fc.constantFrom(...Object.values(KEYS)),
      fc.constantFrom("password", '"', "\\", ":", "=", "://a:b@", "cookie: ", "[masked: x]", "\n", "{", "'", "Bearer "),
      fc.string(),
    );
    const text = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom("a", "note", "b_c"),
          fc.oneof(
            text,
            text.map((t) => JSON.stringify({ t })),
          ),
        ),
        (body) => {
          const { attributes } = attributesMasked({ body: JSON.stringify(body) });
          expect(Object.keys(JSON.parse(attributes.body as string)).sort()).toEqual(Object.keys(body).sort());
        },
      ),
      { numRuns: 500 },
    );
  });

  test.each([
    ["quotes", '"password":"'],
    ["separators", "a=a:"],
    ["names", "secret=/"],
    ["masks", "x-api-key: [masked: "],
    ["addresses", "://a:"],
    ["beginnings of keys", "sk-a-"],
    ["beginnings of tokens", "eyJaaaaaaaaaaaa."],
    ["beginnings of private keys", "-----BEGIN PRIVATE KEY-----\n"],
    ["schemes", "bearer "],
    ["backslashes", '\\\\"'],
    ["brackets", "[["],
  ])(
    "four million characters of %s are masked in linear time",
    (_, piece) => {
      // A quadratic pattern would not finish.
      const text = `password ${piece.repeat(4_000_000 / piece.length)}`;
      expect(masked(text).length).toBeGreaterThan(0);
      expect(attributesMasked({ x: `[${text}` }).attributes).toHaveProperty("x");
    },
    20_000,
  );
});

describe("attributes", () => {
  test("only allowed headers are stored, in any spelling", () => {
    const names = [
      "http.request.header.authorization",
      "http.request.header.Proxy-Authorization",
      "http.response.header.set-cookie",
      "HTTP.Request.Header.X-Goog-Api-Key",
      "http.request.header.x_api_key",
      "http.request.headers.cookie",
      "ai.request.headers.Authorization",
      "ai.response.headers.set-cookie",
      "llm.request.headers.x-custom-auth",
      "gen_ai.request.extra_headers.x-team",
      "rpc.grpc.request.metadata.authorization",
      "rpc.response.metadata.x-session",
      "mcp.headers.x-auth",
    ];
    const given = Object.fromEntries(names.map((name) => [name, ["opaque"]]));
    const stored = {
      "http.request.header.content-type": ["application/json"],
      "http.response.header.X-RateLimit-Remaining": "9",
      "ai.request.headers.user_agent": "ai/6",
      "rpc.grpc.request.metadata.user-agent": "grpc-node",
    };
    expect(attributesMasked({ ...given, ...stored })).toEqual({ attributes: stored, masked: names.length });
  });

  test("headers in one value are filtered as an object or JSON, otherwise dropped", () => {
    const headers = { Authorization: "opaque", "Content-Type": "text/plain", "x-foo": ["opaque"] };
    const stored = { "Content-Type": "text/plain" };
    const { attributes, masked: count } = attributesMasked({
      "llm.request.headers": headers,
      "ai.request.headers": JSON.stringify(headers),
      "http.headers": "Authorization: opaque",
      "http.response_headers": [["set-cookie", "opaque"]],
      "llm.invocation_parameters": JSON.stringify({ temperature: 1, extra_headers: headers }),
    });
    expect(attributes["llm.request.headers"]).toEqual(stored);
    expect(attributes["ai.request.headers"]).toBe(JSON.stringify(stored));
    expect(attributes["llm.invocation_parameters"]).toBe(JSON.stringify({ temperature: 1, extra_headers: stored }));
    expect(Object.keys(attributes)).toHaveLength(3);
    expect(count).toBe(8);
  });

  test("a string or number under a secret's name is masked, whatever it is", () => {
    const { attributes, masked: count } = attributesMasked({
      "openai.api_key": "abc",
      "db.password": 12345,
      "http.request.body": '{"api_key":"abc","nested":{"clientSecret":"x","retries":3},"list":[{"Password":"y"}]}',
      "gen_ai.usage.input_tokens": 12,
      "gen_ai.token.type": "input",
      "app.cookies": true,
      "app.secret": null,
    });
    expect(attributes).toMatchObject({
      "openai.api_key": "[masked: value]",
      "db.password": "[masked: value]",
      "gen_ai.usage.input_tokens": 12,
      "gen_ai.token.type": "input",
      "app.cookies": true,
      "app.secret": null,
    });
    expect(JSON.parse(attributes["http.request.body"] as string)).toEqual({
      api_key: "[masked: value]",
      nested: { clientSecret: "[masked: value]", retries: 3 },
      list: [{ Password: "[masked: value]" }],
    });
    expect(count).toBe(5);
  });

  test("statements, URLs, stack traces, status messages, names, resources and events are masked", () => {
    const { span: stored, masked: count } = spanMasked({
      name: `GET https://a:b@example.com/?key=${KEYS.google}`,
      attributes: {
        "url.full": "https://user:pass@example.com/x",
        "db.statement": "ALTER USER app WITH PASSWORD='hunter2'",
        nested: [{ deep: ["fine", KEYS.github as string] }],
      },
      status: { code: 2, message: `401 Incorrect API key provided: ${KEYS.openai}` },
      resource: { "process.command_args": ["node", "app.js", `--api-key=${KEYS.stripe}`], "service.name": "shop" },
      events: [
        { name: "exception", timeUs: 1, attributes: { "exception.stacktrace": `at f (${KEYS.slack})\n  at g` } },
        {
          name: "gen_ai.client.inference.operation.details",
          timeUs: 1,
          attributes: { "http.request.header.cookie": "x" },
        },
      ],
    });
    const text = JSON.stringify(stored);
    for (const secret of [
      "a:b@",
      "pass@",
      "hunter2",
      KEYS.google,
      KEYS.github,
      KEYS.openai,
      KEYS.stripe,
      KEYS.slack,
      "cookie",
    ])
      expect(text).not.toContain(secret);
    expect(stored.events[0]?.attributes["exception.stacktrace"]).toMatch(
      /^at f \(\[masked: Slack token\]\)\n {2}at g$/,
    );
    expect(count).toBe(9);
  });

  test("a resource that many spans share is masked and counted once", () => {
    const resource = { token: `x ${KEYS.jwt}` };
    const { items, masked: count } = maskSpans(batchOf(span({ resource }), span({ resource })), { messages: false });
    expect(items[0]?.resource).toBe(items[1]?.resource);
    expect(count).toBe(1);
  });

  test("an id that is a secret becomes a stable pseudonym", () => {
    const idOf = (jwt: string) => attributesMasked({ "session.id": jwt }).attributes["session.id"];
    const other = `${KEYS.jwt}x`;
    expect(idOf(KEYS.jwt as string)).toMatch(/^masked-[0-9a-f]{24}$/);
    expect(idOf(KEYS.jwt as string)).toBe(idOf(KEYS.jwt as string));
    expect(idOf(other)).not.toBe(idOf(KEYS.jwt as string));
    expect(idOf("session-1")).toBe("session-1");
  });

  test("values without secrets are returned as the same object", () => {
    const attributes = { a: "fine", b: [1, { c: "fine too" }], d: '{"max_tokens": 3}' };
    expect(spanMasked({ attributes }).span.attributes).toBe(attributes);
  });
});

describe("message text", () => {
  const said = `my key is ${KEYS.openai}, password=hunter2, postgres://a:b@c/d`;
  const MESSAGES: Attributes = {
    "gen_ai.input.messages": JSON.stringify([{ role: "user", parts: [{ type: "text", content: said }] }]),
    "gen_ai.output.messages": [{ role: "assistant", parts: [{ type: "text", content: said }] }],
    "gen_ai.system_instructions": said,
    "gen_ai.prompt.0.content": said,
    "llm.input_messages.0.message.content": said,
    "llm.output_messages.1.message.tool_calls.0.tool_call.function.arguments": `{"password":"hunter2"}`,
    "ai.response.text": said,
    "ai.toolCall.args": `{"api_key":"${KEYS.openai}"}`,
    "gen_ai.tool.call.result": said,
    "input.value": said,
    "langfuse.observation.output": said,
    "traceloop.entity.input": `{"inputs":{"password":"hunter2"}}`,
  };

  test("is left as sent in attributes, events and log records", () => {
    expect(attributesMasked(MESSAGES)).toEqual({ attributes: MESSAGES, masked: 0 });
    const events = [
      { name: "gen_ai.user.message", timeUs: 1, attributes: { content: said } },
      { name: "gen_ai.content.completion", timeUs: 1, attributes: { "gen_ai.completion": said } },
      { name: "gen_ai.client.inference.operation.details", timeUs: 1, attributes: { "gen_ai.input.messages": said } },
    ];
    expect(spanMasked({ events }).span.events).toEqual(events);
    for (const log of LOGS) expect(logMasked(log, false)).toEqual({ log, masked: 0 });
  });

  const { name: _, ...ofLog } = span({});
  const LOGS: LogRecord[] = [
    { eventName: "gen_ai.user.message", body: { content: said }, attributes: {} },
    { eventName: "gen_ai.choice", body: { message: { role: "assistant", content: said } }, attributes: { x: said } },
    {
      eventName: "gen_ai.client.inference.operation.details",
      body: { "gen_ai.output.messages": said },
      attributes: {},
    },
  ].map((log) => ({ ...ofLog, timeUs: 1, severity: null, ...log }));
  const logMasked = (log: LogRecord, messages: boolean) => {
    const { items, masked: count } = maskLogs(batchOf(log), { messages });
    return { log: items[0] as LogRecord, masked: count };
  };

  test("is masked like anything else if the project enables it", () => {
    const everything = [
      spanMasked({ attributes: MESSAGES }, true),
      spanMasked({ events: [{ name: "gen_ai.user.message", timeUs: 1, attributes: { content: said } }] }, true),
      ...LOGS.map((log) => logMasked(log, true)),
    ];
    for (const one of everything) {
      expect(one.masked).toBeGreaterThan(0);
      const text = JSON.stringify(one);
      for (const secret of [KEYS.openai, "hunter2", "a:b@"]) expect(text).not.toContain(secret);
    }
    expect(JSON.stringify(everything)).toContain("my key is [masked: secret key]");
  });

  test("is only the messages if the attribute is a whole request", () => {
    const request = {
      model: "gpt-4o",
      api_key: "abc",
      extra_headers: { "x-team": "opaque", accept: "x" },
      messages: [{ role: "user", content: said, api_key: "said, too" }],
    };
    const safe = { ...request, api_key: "[masked: value]", extra_headers: { accept: "x" } };
    expect(attributesMasked({ "input.value": JSON.stringify(request) })).toEqual({
      attributes: { "input.value": JSON.stringify(safe) },
      masked: 2,
    });
    expect(attributesMasked({ "gcp.vertex.agent.llm_request": request }).attributes).toEqual({
      "gcp.vertex.agent.llm_request": safe,
    });
  });

  test("a log record that is not a message is masked in body and attributes", () => {
    const log = { ...ofLog, timeUs: 1, severity: null, eventName: "app.started", attributes: { "db.password": "x" } };
    for (const body of [said, { note: said }, [said]]) {
      const stored = logMasked({ ...log, body }, false);
      expect(JSON.stringify(stored.log)).not.toMatch(/hunter2|a:b@|sk-proj/);
      expect(stored.masked).toBe(4);
    }
  });
});
