import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:http2";
import { gzipSync } from "node:zlib";
import {
  type CallOptions,
  Client,
  compressionAlgorithms,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from "@grpc/grpc-js";
import { Reader } from "protobufjs/minimal.js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { trustedProxies } from "@/server/platform/http/client-address";
import { startOtlpGrpc } from "./otlp-grpc";

const TRACES = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
type ReceivedRequest = { url: string | undefined; headers: IncomingMessage["headers"]; body: Buffer };

let asked: ReceivedRequest[];
let answer: (response: ServerResponse) => void;
let refused: string[];
let server: Awaited<ReturnType<typeof startOtlpGrpc>>;
let client: Client;

async function handler(request: IncomingMessage, response: ServerResponse) {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  asked.push({ url: request.url, headers: request.headers, body: Buffer.concat(pieces) });
  answer(response);
}

const start = (more = {}) =>
  startOtlpGrpc({
    host: "127.0.0.1",
    port: 0,
    handler,
    isTrusted: trustedProxies("127.0.0.1"),
    refused: (reason, { address }) => void refused.push(`${reason} ${address}`),
    calls: { max: 10, ofNetwork: 2 },
    ...more,
  });
const clientOf = (options = {}) =>
  new Client(`127.0.0.1:${server.port}`, credentials.createInsecure(), {
    "grpc.max_send_message_length": -1,
    "grpc.default_compression_algorithm": compressionAlgorithms.gzip,
    ...options,
  });

beforeEach(async () => {
  asked = [];
  refused = [];
  answer = (response) => response.writeHead(200).end(Buffer.from("reply"));
  server = await start();
  client = clientOf();
});
afterEach(async () => {
  client.close();
  await server.stop();
});

const asItCame = (bytes: Buffer) => bytes;
/** Calls a method and returns its reply, or the error; `initial` gets the metadata that came before it. */
function send(
  body: Buffer | string,
  {
    path = TRACES,
    key = "Bearer key" as string | null,
    initial = (_: Metadata) => {},
    options = {} as CallOptions,
    on = client,
    from = "203.0.113.9",
  } = {},
) {
  const metadata = new Metadata();
  if (key !== null) metadata.set("authorization", key);
  metadata.set("x-forwarded-for", from);
  return new Promise<Buffer | ServiceError>((resolve) => {
    const done = (error: ServiceError | null, reply?: Buffer) => resolve(error ?? (reply as Buffer));
    on.makeUnaryRequest(path, asItCame, asItCame, Buffer.from(body), metadata, options, done).on("metadata", initial);
  });
}
const problem =
  (code: number, headers = {}) =>
  (response: ServerResponse) =>
    response.writeHead(code, headers).end(JSON.stringify({ title: "Title", detail: "The sentence." }));

test("each signal is handled as the request that OTLP/HTTP would have been, decompressed", async () => {
  for (const signal of ["trace", "logs", "metrics"]) {
    const service = `opentelemetry.proto.collector.${signal}.v1.${signal[0]!.toUpperCase()}${signal.slice(1)}Service`;
    expect(await send("spans", { path: `/${service}/Export` })).toEqual(Buffer.from("reply"));
  }
  expect(asked.map(({ url, body }) => [url, String(body)])).toEqual([
    ["/v1/otlp/v1/traces", "spans"],
    ["/v1/otlp/v1/logs", "spans"],
    ["/v1/otlp/v1/metrics", "spans"],
  ]);
  expect(asked[0]!.headers).toMatchObject({
    authorization: "Bearer key",
    "content-type": "application/x-protobuf",
    "content-length": "5",
    // Of the caller, as a trusted proxy says it.
    "x-forwarded-for": "203.0.113.9",
  });
});

test("an empty batch is a request with an empty body", async () => {
  expect(await send("")).toEqual(Buffer.from("reply"));
  expect(asked[0]!.body).toHaveLength(0);
});

test("the receipt's id comes before the reply", async () => {
  answer = (response) => response.writeHead(200, { "x-whetstone-receipt": "rcp_1" }).end();
  const initial = vi.fn();
  await send("spans", { initial });
  expect(initial.mock.calls[0]![0].get("x-whetstone-receipt")).toEqual(["rcp_1"]);
});

test("a refusal is a status that exporters do not repeat, with the problem's sentence", async () => {
  for (const [code, expected] of [
    [400, status.INVALID_ARGUMENT],
    [401, status.UNAUTHENTICATED],
    [403, status.PERMISSION_DENIED],
    [413, status.INVALID_ARGUMENT],
  ] as const) {
    answer = problem(code);
    expect(await send("spans")).toMatchObject({ code: expected, details: "The sentence." });
  }
});

test("a fault that passes is UNAVAILABLE and says when to try again", async () => {
  answer = problem(429, { "retry-after": "7" });
  const error = (await send("spans")) as ServiceError;
  expect(error).toMatchObject({ code: status.UNAVAILABLE, details: "The sentence." });
  expect(retryOf(error)).toEqual({ type: "type.googleapis.com/google.rpc.RetryInfo", seconds: 7 });
  answer = problem(500);
  expect(await send("spans")).toMatchObject({ code: status.UNAVAILABLE });
});

/** Reads `google.rpc.Status`, whose only detail is a `google.rpc.RetryInfo`. */
function retryOf({ metadata }: ServiceError) {
  const field = (bytes: Uint8Array, number: number): Uint8Array => {
    const reader = Reader.create(bytes);
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      if (tag >>> 3 === number) return reader.bytes();
      reader.skipType(tag & 7);
    }
    throw new Error(`There is no field ${number}.`);
  };
  const any = field(metadata.get("grpc-status-details-bin")[0] as Buffer, 3);
  const duration = Reader.create(field(field(any, 2), 1));
  duration.uint32();
  return { type: Buffer.from(field(any, 1)).toString(), seconds: Number(duration.int64()) };
}

test("a call without a key is refused before its message is read", async () => {
  expect(await send("spans", { key: null })).toMatchObject({ code: status.UNAUTHENTICATED });
  expect(refused).toEqual(["missing_key 203.0.113.9"]);
  expect(asked).toEqual([]);
});

test("a message that is larger inside than allowed is refused, and counted as too large once", async () => {
  const body = Buffer.alloc(17 * 1024 * 1024);
  expect(gzipSync(body).length).toBeLessThan(1024 * 1024);
  expect(await send(body)).toMatchObject({ code: status.RESOURCE_EXHAUSTED });
  expect(asked).toEqual([]);
  expect(refused).toEqual(["too_large 203.0.113.9"]);
});

test("more calls of one network at once than allowed are told to try again, and others go on", async () => {
  const waiting: ServerResponse[] = [];
  answer = (response) => waiting.push(response);
  const sent = [send("first"), send("second")];
  await vi.waitFor(() => expect(waiting).toHaveLength(2), { timeout: 10_000 });
  // On a connection of its own: on theirs it would wait for its turn.
  const other = clientOf({ "grpc.use_local_subchannel_pool": 1 });
  expect(await send("third", { on: other })).toMatchObject({
    code: status.UNAVAILABLE,
    details: "Too many calls at once.",
  });
  answer = (response) => response.writeHead(200).end("at once");
  expect(await send("of another network", { on: other, from: "198.51.100.7" })).toEqual(Buffer.from("at once"));
  for (const response of waiting) response.writeHead(200).end("reply");
  expect(await Promise.all(sent)).toEqual([Buffer.from("reply"), Buffer.from("reply")]);
  expect(await send("again", { on: other })).toEqual(Buffer.from("at once"));
  other.close();
});

test("a call whose message does not come ends, and leaves its place", async () => {
  await server.stop();
  server = await start({ callMs: 200 });
  const connection = connect(`http://127.0.0.1:${server.port}`);
  const headers = {
    ":method": "POST",
    ":path": TRACES,
    "content-type": "application/grpc",
    authorization: "Bearer key",
  };
  const statuses = Array.from({ length: 2 }, async () => {
    const [received] = await once(connection.request(headers, { endStream: false }), "response");
    return received["grpc-status"];
  });
  expect(await Promise.all(statuses)).toEqual(["4", "4"]);
  connection.destroy();
  client = clientOf();
  expect(await send("spans")).toEqual(Buffer.from("reply"));
});

test("a caller that leaves ends its request", async () => {
  const ended = new Promise<void>((resolve) => {
    answer = (response) => response.once("close", resolve);
  });
  expect(await send("spans", { options: { deadline: Date.now() + 300 } })).toMatchObject({
    code: status.DEADLINE_EXCEEDED,
  });
  await ended;
});
