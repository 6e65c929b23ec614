import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import next from "next";
import { env } from "@/env";
import { collectWhenIdle } from "@/server/platform/event-loop/collect-when-idle";
import { beginOperation, writeOperationsTo } from "@/server/platform/event-loop/operations";
import { watchEventLoop } from "@/server/platform/event-loop/watch";
import { type Trust, trustedProxies } from "@/server/platform/http/client-address";
import { handlingNodeRequest } from "@/server/platform/http/node-request";
import { refusals } from "@/server/platform/http/telemetry-refusals";
import { hideCredentials, logger } from "@/server/platform/logging/log";
import { admit, isStrayExport, rejectMalformed } from "./admission";
import { withCachedDocument, withCachedPages } from "./cached-page";
import { withDirectRoutes } from "./direct-routes";
import { drainUnreadBody } from "./drain-unread-body";
import type { Handler } from "./in-process-request";
import { oneAtATime } from "./one-at-a-time";
import { startOtlpGrpc } from "./otlp-grpc";
import { withPageBulkhead } from "./page-bulkhead";
import { type Secure, securityHeaders } from "./security-headers";
import { type Stop, stopCleanly } from "./stop-cleanly";
import { refuseTinyChunks } from "./tiny-chunks";

/** Longer than the idle timeout of common proxies, which would otherwise reuse a connection that we just closed. */
const KEEP_ALIVE_MS = 65_000;
/** The supervisor ends a process that has sent nothing for many times as long. */
const BEAT_EVERY_MS = 2_000;

/** The web process: Next on our own HTTP server, for a clean stop and a readiness signal. */
async function main() {
  process.title = "whetstone web";
  const { HOST, PORT, LISTEN, NODE_ENV, PUBLIC_URL, OPERATIONS_FD, TRUSTED_PROXIES } = env();
  const listenSignal = LISTEN === "when-told" ? message() : Promise.resolve();
  const dev = NODE_ENV === "development";
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS });
  const secure = securityHeaders({ dev, secure: PUBLIC_URL?.startsWith("https:") ?? false });
  const stops: Stop[] = [];
  stopCleanly(server, stops);
  const handler = named(await nextHandler(server, secure, dev));
  const isTrusted = trustedProxies(TRUSTED_PROXIES);
  attachHandler(server, handler, secure, isTrusted);
  await listenSignal;

  const fail = (error: NodeJS.ErrnoException) => {
    process.send?.({ failed: error.code ?? error.message });
    process.exitCode = 1;
    setImmediate(() => process.exit());
  };
  server.once("error", fail);
  if (OPERATIONS_FD !== undefined) writeOperationsTo(OPERATIONS_FD);
  watchEventLoop();
  collectWhenIdle();
  try {
    stops.push(await receiveOverGrpc(handler, isTrusted));
  } catch (error) {
    return fail(error as Error);
  }
  server.listen(PORT, HOST, () => {
    process.send?.({ type: "ready" });
    sendBeats();
  });
}

/** The port that OpenTelemetry's exporters and Collector use for OTLP over gRPC. */
const OTLP_GRPC_PORT_USUAL = 4317;

/** Starts receiving OTLP over gRPC, unless that is off or a Collector, say, has the usual port. Throws if a given one cannot be had. */
async function receiveOverGrpc(handler: Handler, isTrusted: Trust): Promise<Stop> {
  const { HOST: host, OTLP_GRPC_PORT: given } = env();
  if (given === 0) return async () => {};
  const port = given ?? OTLP_GRPC_PORT_USUAL;
  try {
    return (await startOtlpGrpc({ host, port, handler, isTrusted, refused: refusals.count })).stop;
  } catch (error) {
    if (given !== undefined) throw new Error(`OTLP_GRPC_PORT=${given} cannot be used. ${(error as Error).message}`);
    logger("web").warn(
      `OTLP over gRPC is not received: another program uses port ${port}. To choose another, set OTLP_GRPC_PORT; 0 turns it off.`,
    );
    return async () => {};
  }
}

/** Shows the supervisor that the event loop of this process is not blocked for good. */
function sendBeats() {
  // An error means that the supervisor is gone, which ends this process anyway.
  setInterval(() => process.send?.({ type: "beat" }, () => {}), BEAT_EVERY_MS).unref();
}

/** The supervisor starts us while the database starts, and sends a message when that is ready. */
const message = () => new Promise((resolve) => process.once("message", resolve));

async function nextHandler(server: Server, secure: Secure, dev: boolean): Promise<Handler> {
  const { HOST, PORT } = env();
  const app = next({ dev, dir: process.cwd(), hostname: HOST, port: PORT, httpServer: server, quiet: true });
  await (dev ? app.prepare() : quietly(() => app.prepare()));
  const handler = app.getRequestHandler();
  // The API reference and its document are the same for everybody and expensive to render. In development they change.
  if (dev) return handler;
  const pages = withCachedPages("/docs", withPageBulkhead(handler), secure);
  return withCachedDocument("/v1/openapi.json", withDirectRoutes(pages), secure);
}

/** Returns the handler, with the request known by name while it is in progress. */
const named =
  (handler: Handler): Handler =>
  (request, response) => {
    // Until the response is sent, or given up: what happens after that is not for this request.
    response.once("close", beginOperation(nameOf(request)));
    return handlingNodeRequest(request, () => handler(request, response));
  };

function attachHandler(server: Server, handler: Handler, secure: Secure, isTrusted: Trust) {
  const warn = env().TRUSTED_PROXIES === undefined ? warnOnceOfProxies() : () => {};
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    drainUnreadBody(request, response);
    refuseTinyChunks(request);
    secure(request, response);
    if (request.headers["x-forwarded-for"] !== undefined) warn(request.socket.remoteAddress);
    if (!admit(request, response, isTrusted)) return;
    if (isStrayExport(request)) refusals.count("wrong_path", senderOf(request));
    void handler(request, response);
  };
  server.on("request", oneAtATime(handle));
  server.on("clientError", rejectMalformed);
}

const senderOf = ({ headers }: IncomingMessage) => ({
  authorization: headers.authorization ?? null,
  address: String(headers["x-forwarded-for"]),
});

const NAME_LENGTH_MAX = 200;
/** Names a request in the log, without its query, which may contain what a user typed. */
const nameOf = ({ method, url = "/" }: IncomingMessage) =>
  hideCredentials(`${method} ${url.split("?", 1)[0]}`.slice(0, NAME_LENGTH_MAX));

/** Warns once about an untrusted proxy, behind which all visitors share one address and its limits. */
function warnOnceOfProxies() {
  let warned = false;
  return (peer: string | undefined) => {
    if (warned) return;
    warned = true;
    logger("web").warn(
      `${peer} sends X-Forwarded-For, which is ignored: TRUSTED_PROXIES names no proxy. If this server is behind a proxy, set TRUSTED_PROXIES; otherwise all visitors share one rate limit.`,
    );
  };
}

/** Suppresses Next's message about how long it took to read its configuration. */
async function quietly(work: () => Promise<void>) {
  const { log } = console;
  console.log = () => {};
  await work().finally(() => {
    console.log = log;
  });
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
