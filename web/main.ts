// @ts-check
// The web process: Next on our own HTTP server, so that it stops cleanly and says when it is ready.
import { createServer } from "node:http";
import next from "next";
import { withCachedPage } from "./lib/cached-page.mjs";
import { trustedProxies } from "./lib/client-address.mjs";
import { answerUnreadable, letIn } from "./lib/front-door.mjs";
import { secure } from "./lib/security-headers.mjs";
import { ROOT } from "./lib/system/paths.mjs";
import { say } from "./lib/system/say.mjs";
import { boundUnread } from "./lib/unread-body.mjs";

process.title = "whetstone web";
const hostname = process.env.HOST ?? "127.0.0.1";
const port = Number(process.env.PORT);

/** Longer than the idle time of the usual proxies, which would otherwise reuse a connection that we just closed. */
const KEEP_ALIVE_MS = 65_000;
const FINISH_MS = 8_000;

const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS });

let stopping = false;
for (const signal of /** @type {const} */ (["SIGTERM", "SIGINT"])) {
  process.on(signal, () => {
    if (stopping) return;
    stopping = true;
    server.close(() => process.exit(0));
    server.closeIdleConnections();
    // What still answers may finish; a stream that never ends (live pages) may not.
    setTimeout(() => process.exit(0), FINISH_MS).unref();
  });
}

/** The supervisor starts us while the database comes up, and tells when that is ready. */
const told =
  process.send && process.env.LISTEN === "when-told"
    ? new Promise((resolve) => process.once("message", resolve))
    : Promise.resolve();

const dev = process.env.NODE_ENV === "development";
const app = next({ dev, dir: ROOT, hostname, port, httpServer: server, quiet: true });
await quietly(() => app.prepare());
const nextHandle = app.getRequestHandler();
const installation = { dev, secure: process.env.PUBLIC_URL?.startsWith("https:") ?? false };
/** The reference is the same for everybody, and dear to make. In development it changes. */
const handle = dev ? nextHandle : withCachedPage("/docs", nextHandle, installation);
const isTrusted = trustedProxies(process.env.TRUSTED_PROXIES);
const warn = process.env.TRUSTED_PROXIES ? () => {} : warnOnceOfProxies();
server.on("request", (request, response) => {
  boundUnread(request, response);
  secure(request, response, installation);
  if (request.headers["x-forwarded-for"] !== undefined) warn(request.socket.remoteAddress);
  if (letIn(request, response, isTrusted)) void handle(request, response);
});
server.on("clientError", answerUnreadable);
await told;

server.once("error", (error) => {
  process.send?.({ failed: /** @type {NodeJS.ErrnoException} */ (error).code ?? error.message });
  process.exitCode = 1;
  setImmediate(() => process.exit());
});
server.listen(port, hostname, () => process.send?.({ type: "ready" }));

/** Behind a proxy that nobody told us of, all visitors are one: whoever set it up has to read of it. */
function warnOnceOfProxies() {
  let warned = false;
  return (/** @type {string | undefined} */ peer) => {
    if (warned) return;
    warned = true;
    say(
      `web: ${peer} sends X-Forwarded-For, which is ignored: TRUSTED_PROXIES names no proxy. If one stands in front, set it, or all visitors share the limits of one.`,
    );
  };
}

/** Next tells how long it took to read its configuration; nobody who starts the product asked. @param {() => Promise<void>} work */
async function quietly(work) {
  const { log } = console;
  if (!dev) console.log = () => {};
  await work().finally(() => {
    console.log = log;
  });
}
