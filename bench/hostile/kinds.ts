import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { ByteWriter, ParquetWriter, schemaFromColumnData } from "hyparquet-writer";

/** Who sends hostile requests: a person without a key, or one with the key of a project of their own. */
export type Attacker = {
  url: string;
  port: number;
  secret: string;
  projectId: string;
  /** Calls `/v1/projects/<theirs>/<path>` with the key; returns the status, 0 if the connection broke. */
  call(method: string, path: string, body?: string | Uint8Array, headers?: Record<string, string>): Promise<number>;
  /** Stores a file and previews its import. */
  preview(content: string | Uint8Array): Promise<number>;
};

/**
 * A kind of request that once cost more than it brought, or could. `send` returns the statuses that were seen. `refused`: the one
 * that all of them must have; with it, `npm test` tries the kind too.
 */
export type Kind = { name: string; refused?: number; send: (attacker: Attacker) => Promise<(number | string)[]> };

const MIB = 1024 * 1024;
const times = <Result>(count: number, work: (n: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)));
/** Waves of 50, as many connections as a few exporters have. */
async function waves<Result>(count: number, work: (n: number) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let sent = 0; sent < count; sent += 50)
    results.push(...(await times(Math.min(50, count - sent), (n) => work(sent + n))));
  return results;
}

const anonymous = async ({ url }: Attacker, path: string, init: RequestInit) => {
  const reply = await fetch(`${url}${path}`, init).catch(() => undefined);
  await reply?.arrayBuffer().catch(() => {});
  return reply?.status ?? 0;
};

/** Opens connections that send this beginning of a request and then nothing, and closes them after a while. */
async function halfOpen({ port }: Attacker, beginning: string, { connections = 100, forMs = 3_000 } = {}) {
  const sockets = Array.from({ length: connections }, () => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(beginning);
    return socket;
  });
  await sleep(forMs);
  for (const socket of sockets) socket.destroy();
  return ["closed"];
}

const head = (attacker: Attacker, line: string, ...headers: string[]) =>
  `${[line, "host: x", `authorization: Bearer ${attacker.secret}`, ...headers].join("\r\n")}\r\n\r\n`;

const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const wide = (keys: number) => JSON.stringify(Object.fromEntries(Array.from({ length: keys }, (_, n) => [`k${n}`, n])));
const columns = (count: number, rows: number) =>
  [Array.from({ length: count }, (_, n) => `c${n}`).join(","), ...Array<string>(rows).fill("x,".repeat(count))].join(
    "\n",
  );

function parquetThatClaims(rows: bigint): Uint8Array {
  const to = new ByteWriter();
  const columnData = [{ name: "completion", data: ["x"] }];
  const writer = new ParquetWriter({ writer: to, schema: schemaFromColumnData({ columnData }) });
  writer.write({ columnData });
  for (const group of writer.row_groups) group.num_rows = rows;
  writer.num_rows = rows;
  writer.finish();
  return new Uint8Array(to.getBuffer());
}

function parquetOfNulls(rows: number): Uint8Array {
  const to = new ByteWriter();
  const columnData = [{ name: "completion", data: Array<string | null>(rows).fill(null) }];
  const writer = new ParquetWriter({ writer: to, schema: schemaFromColumnData({ columnData }) });
  writer.write({ columnData });
  writer.finish();
  return new Uint8Array(to.getBuffer());
}

const template = (attacker: Attacker, bodyTemplate: string) =>
  attacker.call("POST", "work-items/preview", JSON.stringify({ provider: "github", bodyTemplate }));
const doublings = (count: number) =>
  `{% assign s = "ab," %}${"{% assign s = s | append: s %}".repeat(count)}{% assign all = s | split: "," %}`;

/** Opens connections that send a whole body in chunks of one byte, as fast as they are taken. */
async function inBytes({ port }: Attacker, beginning: string, { connections = 20, chunks = 200_000 } = {}) {
  const ended = Array.from({ length: connections }, () => {
    const socket = connect(port, "127.0.0.1");
    const { promise, resolve } = Promise.withResolvers<string>();
    socket.on("error", () => {});
    socket.once("data", (reply) => resolve(String(reply).slice(9, 12)));
    socket.once("close", () => resolve("closed"));
    socket.end(`${beginning}${"1\r\nx\r\n".repeat(chunks)}0\r\n\r\n`);
    return promise.finally(() => socket.destroy());
  });
  return Promise.all(ended);
}

/** A price whose pattern this is, and what a name that it almost matches would cost. */
async function priced(attacker: Attacker, matchPattern: string, model: string) {
  const prices = [{ name: "Standard", isDefault: true, priority: 0, prices: { input_tokens: 1 } }];
  const price = { provider: "external", modelName: "hostile", matchPattern, pricingTiers: prices };
  return [
    await attacker.call("POST", "model-prices", JSON.stringify(price)),
    await attacker.call("POST", "model-price-estimates", JSON.stringify({ model, usage: { input_tokens: 1 } })),
  ];
}

const otlp = (attacker: Attacker, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  anonymous(attacker, "/v1/otlp/v1/traces", {
    method: "POST",
    headers: { authorization: `Bearer ${attacker.secret}`, "content-type": "application/json", ...headers },
    body: body as BodyInit,
  });
const attributes = (count: number, value: string) =>
  JSON.stringify({
    resourceSpans: [
      {
        scopeSpans: [
          {
            spans: [
              {
                traceId: "a".repeat(32),
                spanId: "b".repeat(16),
                name: "x",
                startTimeUnixNano: "1",
                endTimeUnixNano: "2",
                attributes: Array.from({ length: count }, (_, n) => ({ key: `k${n}`, value: { stringValue: value } })),
              },
            ],
          },
        ],
      },
    ],
  });

export const KINDS: readonly Kind[] = [
  // Refused requests with bodies.
  ...[
    "/v1/otlp/v1/traces",
    "/v1/projects/prj_none/datasets",
    "/api/trainer/v1/lease",
    "/api/trpc/projects.list",
    "/conversations",
  ].map(
    (path): Kind => ({
      name: `600 anonymous POSTs with a body to ${path}`,
      send: (attacker) =>
        waves(600, (n) => anonymous(attacker, path, { method: "POST", body: "x".repeat(n % 3 ? 200 : 40_000) })),
    }),
  ),
  {
    name: "600 requests with methods that nothing has",
    send: (attacker) =>
      waves(600, () => anonymous(attacker, "/v1/otlp/v1/traces", { method: "PUT", body: "x".repeat(2_000) })),
  },
  {
    name: "600 batches with a wrong key",
    send: (attacker) => waves(600, () => otlp({ ...attacker, secret: "whet_wrong" }, attributes(20, "x".repeat(500)))),
  },
  // Connections that stop in the middle.
  { name: "100 connections that send nothing", send: (attacker) => halfOpen(attacker, "") },
  { name: "100 half headers", send: (attacker) => halfOpen(attacker, "GET /v1/projects HTTP/1.1\r\nhost: x\r\nx-a: ") },
  {
    name: "100 bodies that never end",
    send: (attacker) =>
      halfOpen(
        attacker,
        `${head(attacker, "POST /v1/otlp/v1/traces HTTP/1.1", "content-type: application/json", "content-length: 1000000")}{`,
      ),
  },
  {
    name: "100 anonymous bodies that never end",
    send: (attacker) =>
      halfOpen(attacker, "POST /v1/otlp/v1/traces HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n{"),
  },
  {
    name: "50 readers of the API page that do not read",
    send: (attacker) => halfOpen(attacker, "GET /docs HTTP/1.1\r\nhost: x\r\n\r\n", { connections: 50 }),
  },
  {
    name: "20 uploads that stop halfway",
    send: (attacker) =>
      halfOpen(
        attacker,
        `${head(attacker, "POST /v1/projects/x/files?name=a HTTP/1.1", "content-length: 5000000000")}${"x".repeat(100_000)}`,
        { connections: 20 },
      ),
  },
  {
    name: "20 bodies of 200,000 pieces of one byte",
    send: (attacker) =>
      inBytes(
        attacker,
        head(
          attacker,
          "POST /v1/otlp/v1/traces HTTP/1.1",
          "content-type: application/json",
          "transfer-encoding: chunked",
        ),
      ),
  },
  // Bodies that are larger inside than outside.
  {
    name: "5 gzip bombs of 2 GiB as telemetry",
    send: (attacker) => {
      const bomb = gzipSync(Buffer.alloc(64 * MIB, " "));
      return times(5, () =>
        otlp(attacker, Buffer.concat(Array<Buffer>(32).fill(bomb)), { "content-encoding": "gzip" }),
      );
    },
  },
  {
    name: "JSON of 100,000 levels as telemetry",
    refused: 400,
    send: (attacker) => times(5, () => otlp(attacker, deep(100_000))),
  },
  {
    name: "JSON of 100,000 levels to /v1",
    refused: 400,
    send: (attacker) =>
      times(5, () => attacker.call("POST", "datasets", `{"name":"x","description":${deep(100_000)}}`)),
  },
  {
    name: "JSON of 100,000 keys to /v1",
    send: (attacker) => times(5, () => attacker.call("POST", "datasets", wide(100_000))),
  },
  {
    name: "spans of 20,000 attributes",
    send: (attacker) => times(5, () => otlp(attacker, attributes(20_000, "x".repeat(100)))),
  },
  {
    name: "a batch of 15 MiB of text",
    send: (attacker) => times(2, () => otlp(attacker, attributes(100, "lorem ipsum ".repeat(12_500)))),
  },
  // Files.
  {
    name: "Parquet that claims 4e11 rows",
    refused: 422,
    send: async (attacker) => [await attacker.preview(parquetThatClaims(400_000_000_000n))],
  },
  {
    name: "Parquet that claims 9.9 million rows",
    refused: 422,
    send: async (attacker) => [await attacker.preview(parquetThatClaims(9_900_000n))],
  },
  { name: "Parquet of a million nulls", send: async (attacker) => [await attacker.preview(parquetOfNulls(1_000_000))] },
  {
    name: "CSV of 400,000 columns",
    refused: 422,
    send: async (attacker) => [await attacker.preview(columns(400_000, 0))],
  },
  {
    name: "CSV of 100,000 columns and 100 rows",
    refused: 422,
    send: async (attacker) => [await attacker.preview(columns(100_000, 100))],
  },
  {
    name: "CSV of 1,000 columns and 2,000 rows",
    send: async (attacker) => [await attacker.preview(columns(1_000, 2_000))],
  },
  {
    name: "CSV of an unclosed quote and 20 MiB",
    send: async (attacker) => [await attacker.preview(`a,b\n"${"x,".repeat(10 * MIB)}`)],
  },
  {
    name: "JSONL of 100,000 levels",
    send: async (attacker) => [await attacker.preview(`${deep(100_000)}\n`.repeat(20))],
  },
  {
    name: "JSONL of inherited names",
    send: async (attacker) => [await attacker.preview('{"messages":[],"constructor":1,"toString":2}\n')],
  },
  { name: "20 MiB of open brackets", send: async (attacker) => [await attacker.preview("[".repeat(20 * MIB))] },
  // Templates.
  {
    name: "a template that groups by an expression",
    refused: 422,
    send: async (attacker) => [
      await template(attacker, `${doublings(13)}{{ all | group_by_exp: "a", "a | append: all" | size }}`),
    ],
  },
  {
    name: "a template of 20 doublings, sorted",
    refused: 422,
    send: async (attacker) => [await template(attacker, `${doublings(20)}{{ all | sort | uniq | size }}`)],
  },
  {
    name: "a template of nested loops",
    refused: 422,
    send: async (attacker) => [
      await template(attacker, "{% for a in (1..9999) %}{% for b in (1..9999) %}{% endfor %}{% endfor %}"),
    ],
  },
  {
    name: "a template of 30 doublings",
    refused: 422,
    send: async (attacker) => [await template(attacker, doublings(30))],
  },
  // Patterns.
  {
    name: "a price's pattern of nested repetitions",
    send: (attacker) => priced(attacker, "^(a+)+$", `${"a".repeat(450)}!`),
  },
  {
    name: "a price's pattern of alternatives that begin alike",
    send: (attacker) =>
      priced(attacker, `^(${Array.from({ length: 40 }, (_, n) => `a{0,${n}}b?`).join("|")})*c$`, "ab".repeat(220)),
  },
  {
    name: "a price's pattern of 20 nested counts",
    send: (attacker) => priced(attacker, `^${"(".repeat(20)}a${"{1,9})".repeat(20)}$`, "a".repeat(450)),
  },
  // Addresses, headers and lists.
  {
    name: "200 addresses of 15,000 characters",
    send: (attacker) => waves(200, () => attacker.call("GET", `conversations?q=${"a".repeat(15_000)}`)),
  },
  {
    name: "200 searches for one character",
    send: (attacker) => waves(200, () => attacker.call("GET", "conversations?q=a&sort=tokens")),
  },
  {
    name: "100 lists of 1,000 filters",
    send: (attacker) =>
      waves(100, (n) =>
        attacker.call("GET", `conversations?${Array.from({ length: 1_000 }, (_, i) => `label=l${n}-${i}`).join("&")}`),
      ),
  },
  {
    name: "200 wrong cursors",
    send: (attacker) => waves(200, () => attacker.call("GET", `conversations?cursor=${"A".repeat(4_000)}`)),
  },
  {
    name: "300 sign-ins with a wrong password",
    send: (attacker) =>
      waves(300, (n) =>
        anonymous(attacker, "/api/auth/callback/credentials", {
          method: "POST",
          headers: { "content-type": "application/x-www-form-urlencoded" },
          body: `email=a${n}@example.test&password=${"p".repeat(1_000)}`,
        }),
      ),
  },
  {
    name: "a batch of 1,000 invalid Examples",
    send: async (attacker) => [
      await attacker.call(
        "POST",
        "datasets/ds_none/examples/batch",
        JSON.stringify({ examples: Array.from({ length: 1_000 }, () => ({ payload: { input: {} } })) }),
      ),
    ],
  },
];
