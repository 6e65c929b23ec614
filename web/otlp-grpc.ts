// OTLP over gRPC, which many exporters use unless they are told otherwise. Each call is handled as the OTLP/HTTP request that it
// could have been, so that one set of rules holds for both: keys, limits, receipts and how batches are read.
import {
  type handleUnaryCall,
  Metadata,
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
  type ServiceDefinition,
  status,
} from "@grpc/grpc-js";
import { Writer } from "protobufjs/minimal.js";
import { SECOND_MS } from "@/server/platform/durations";
import { clientAddress, type Trust } from "@/server/platform/http/client-address";
import { networkOf } from "@/server/platform/http/visitor-network";
import { type Handler, type InProcessReply, requestInProcess } from "./in-process-request";

const MIB = 1024 * 1024;
/** After decompression, as over HTTP. */
const MESSAGE_MAX_BYTES = 16 * MIB;
/**
 * A message is in memory as a whole before anybody has looked at its key. This bounds what all callers can make us keep, and what
 * one of them, who may have no key, takes from others.
 */
const CALLS = { max: 64, ofNetwork: 8 };
/** Includes the time in which a message arrives. */
const CALL_MS = 60 * SECOND_MS;
/** A connection that does not answer a ping is closed, also one that never spoke HTTP/2. */
const PING_EVERY_MS = 60 * SECOND_MS;
const IDLE_CONNECTION_MS = 300 * SECOND_MS;
const RETRY_SECONDS = 5;

/** The services of opentelemetry-proto, and the addresses of OTLP/HTTP that receive the same messages. */
const SIGNALS = [
  { service: "opentelemetry.proto.collector.trace.v1.TraceService", url: "/v1/otlp/v1/traces" },
  { service: "opentelemetry.proto.collector.logs.v1.LogsService", url: "/v1/otlp/v1/logs" },
  { service: "opentelemetry.proto.collector.metrics.v1.MetricsService", url: "/v1/otlp/v1/metrics" },
];

type Unary = handleUnaryCall<Buffer, Buffer>;
type Sender = { authorization: string | null; address: string };
type Options = {
  host: string;
  port: number;
  handler: Handler;
  isTrusted: Trust;
  /** Told of calls that are refused here: those that the handler refuses are counted there. */
  refused?: (reason: "missing_key" | "rate_limited" | "too_large", sender: Sender) => void;
  calls?: typeof CALLS;
  callMs?: number;
};

/** Starts the server and returns its port and how to stop it. Throws if it cannot listen there. */
export async function startOtlpGrpc({
  host,
  port,
  handler,
  isTrusted,
  refused = () => {},
  calls = CALLS,
  callMs = CALL_MS,
}: Options): Promise<{ port: number; stop: () => Promise<void> }> {
  const server = new Server({
    "grpc.max_receive_message_length": MESSAGE_MAX_BYTES,
    "grpc.max_concurrent_streams": calls.ofNetwork,
    "grpc.keepalive_time_ms": PING_EVERY_MS,
    "grpc.max_connection_idle_ms": IDLE_CONNECTION_MS,
    "grpc.enable_channelz": 0,
    interceptors: [admitting(calls, callMs, isTrusted, refused)],
  });
  for (const { service, url } of SIGNALS) {
    server.addService(exportOf(service), { export: receive(url, handler, isTrusted) });
  }
  const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  const bound = await new Promise<number>((resolve, reject) =>
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  return { port: bound, stop: () => new Promise((resolve) => server.tryShutdown(() => resolve())) };
}

/** The messages are read where those of OTLP/HTTP are. */
const asItCame = (bytes: Buffer) => bytes;
const exportOf = (service: string): ServiceDefinition => ({
  export: {
    path: `/${service}/Export`,
    requestStream: false,
    responseStream: false,
    requestSerialize: asItCame,
    requestDeserialize: asItCame,
    responseSerialize: asItCame,
    responseDeserialize: asItCame,
  },
});

/** Refuses calls without a key, and those beyond the limits at once, before their messages are read. */
function admitting(
  limits: typeof CALLS,
  callMs: number,
  isTrusted: Trust,
  refused: NonNullable<Options["refused"]>,
): ServerInterceptor {
  const calls = new Map<string, number>();
  let all = 0;
  /** Counts a call until the function that it returns is called; `undefined` if there is no room. */
  const enter = (network: string) => {
    const own = calls.get(network) ?? 0;
    if (all >= limits.max || own >= limits.ofNetwork) return undefined;
    all++;
    calls.set(network, own + 1);
    return () => {
      all--;
      const left = (calls.get(network) ?? 1) - 1;
      if (left > 0) calls.set(network, left);
      else calls.delete(network);
    };
  };
  return (_method, call) => {
    let leave = () => {};
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata(metadata, proceed) {
            const address = addressOf(call.getPeer(), metadata, isTrusted);
            const [authorization] = metadata.get("authorization");
            if (authorization === undefined) {
              refused("missing_key", { authorization: null, address });
              const details = "Send the project's API key as the metadata authorization: Bearer <key>.";
              return call.sendStatus({ code: status.UNAUTHENTICATED, details });
            }
            const left = enter(networkOf(address));
            if (!left) {
              refused("rate_limited", { authorization: String(authorization), address });
              return call.sendStatus(retryLater("Too many calls at once.", RETRY_SECONDS));
            }
            const details = `The call took more than ${callMs / SECOND_MS} s.`;
            const timer = setTimeout(() => call.sendStatus({ code: status.DEADLINE_EXCEEDED, details }), callMs);
            leave = () => {
              leave = () => {};
              clearTimeout(timer);
              left();
            };
            noteTooLarge(call, () => refused("too_large", { authorization: String(authorization), address }));
            proceed(metadata);
          },
          onCancel: () => leave(),
        }),
      sendStatus(given, next) {
        leave();
        next(given);
      },
    });
  };
}

/** The library ends a call with too large a message by itself, past all interceptors. */
function noteTooLarge(call: Parameters<ServerInterceptor>[1], note: () => void) {
  const sendStatus = call.sendStatus.bind(call);
  call.sendStatus = (given) => {
    if (given.code === status.RESOURCE_EXHAUSTED) note();
    sendStatus(given);
  };
}

const addressOf = (peer: string, metadata: Metadata, isTrusted: Trust) =>
  clientAddress(peer, metadata.get("x-forwarded-for")[0]?.toString(), isTrusted);

const receive =
  (url: string, handler: Handler, isTrusted: Trust): Unary =>
  async (call, callback) => {
    const left = new AbortController();
    call.once("cancelled", () => left.abort());
    const { "x-request-id": requestId, "user-agent": agent } = call.metadata.getMap();
    const headers = {
      authorization: String(call.metadata.get("authorization")[0]),
      "content-type": "application/x-protobuf",
      "x-forwarded-for": addressOf(call.getPeer(), call.metadata, isTrusted),
      ...(requestId !== undefined && { "x-request-id": String(requestId) }),
      ...(agent !== undefined && { "user-agent": String(agent) }),
    };
    const request = { method: "POST", url, headers, body: call.request, signal: left.signal };
    const reply = await requestInProcess(handler, request).catch(() => undefined);
    if (left.signal.aborted) return;
    if (!reply) return callback(retryLater("The batch may not have been stored.", RETRY_SECONDS));
    const receipt = reply.headers["x-whetstone-receipt"];
    if (receipt !== undefined) {
      const initial = new Metadata();
      initial.set("x-whetstone-receipt", String(receipt));
      call.sendMetadata(initial);
    }
    if (reply.status === 200) callback(null, reply.body);
    else callback(statusOf(reply));
  };

/** Which an exporter does not repeat, by HTTP status. What is not listed is a fault that passes. */
const FINAL: Record<number, status> = {
  400: status.INVALID_ARGUMENT,
  401: status.UNAUTHENTICATED,
  403: status.PERMISSION_DENIED,
  404: status.NOT_FOUND,
  409: status.FAILED_PRECONDITION,
  413: status.INVALID_ARGUMENT,
  415: status.INVALID_ARGUMENT,
  422: status.INVALID_ARGUMENT,
};

/** Source: "OTLP/gRPC Response", opentelemetry.io/docs/specs/otlp, for what is tried again and how the pause is said. */
function statusOf({ status: code, headers, body }: InProcessReply) {
  const details = detailOf(body);
  const final = FINAL[code];
  if (final !== undefined) return { code: final, details };
  return retryLater(details, Number(headers["retry-after"]) || RETRY_SECONDS);
}

/** The sentence of a problem (RFC 9457). */
function detailOf(body: Buffer): string {
  try {
    const { detail, title } = JSON.parse(body.toString());
    return String(detail ?? title);
  } catch {
    return "The request failed.";
  }
}

/** A status that exporters repeat after a pause: `google.rpc.Status` with `google.rpc.RetryInfo`. */
function retryLater(details: string, seconds: number) {
  const code = status.UNAVAILABLE;
  const delay = Writer.create().uint32(10).fork().uint32(8).int64(Math.ceil(seconds)).ldelim().finish();
  const writer = Writer.create().uint32(8).int32(code).uint32(18).string(details);
  const any = writer.uint32(26).fork().uint32(10).string("type.googleapis.com/google.rpc.RetryInfo");
  const bytes = any.uint32(18).bytes(delay).ldelim().finish();
  const metadata = new Metadata();
  metadata.set("grpc-status-details-bin", Buffer.from(bytes));
  return { code, details, metadata };
}
