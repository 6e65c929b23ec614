import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { drainUnreadBody } from "./drain-unread-body";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Timers that repeat and were not cleared: Node does not report those that do not keep it alive. */
const ticking = new Set<unknown>();
beforeEach(() => {
  ticking.clear();
  const { setInterval, clearInterval } = globalThis;
  vi.spyOn(globalThis, "setInterval").mockImplementation(((...given: Parameters<typeof setInterval>) => {
    const timer = setInterval(...given);
    ticking.add(timer);
    return timer;
  }) as typeof setInterval);
  vi.spyOn(globalThis, "clearInterval").mockImplementation((timer) => {
    ticking.delete(timer);
    clearInterval(timer);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function serve(handler: Handler, limits?: Parameters<typeof drainUnreadBody>[2]) {
  const server = createServer((request, response) => {
    drainUnreadBody(request, response, limits);
    handler(request, response);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    /** Sends a body and returns the status, or the error's code. */
    post: (bytes: number, more: { agent?: false } = {}) =>
      new Promise<number | string>((resolve) => {
        const sent = request({ port, host: "127.0.0.1", method: "POST", ...more }, (response) => {
          response.resume().once("close", () => resolve(response.statusCode ?? 0));
        });
        sent.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
        sent.end(Buffer.alloc(bytes));
      }),
    connections: () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count))),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const refuse = (response: ServerResponse) => response.writeHead(401).end("no");
/** How a handler may leave a body that it does not read. */
const HANDLERS: Record<string, Handler> = {
  "does not touch it": (_, response) => refuse(response),
  "does not touch it, and answers later": (_, response) => void setTimeout(() => refuse(response), 30),
  "has made a web stream of it": (request, response) => {
    Readable.toWeb(request);
    refuse(response);
  },
  "has paused it": (request, response) => {
    request.pause();
    refuse(response);
  },
  "stops halfway": (request, response) => void request.once("data", () => refuse(request.pause() && response)),
  "waits for `readable`": (request, response) => {
    request.on("readable", () => {});
    setTimeout(() => refuse(response), 30);
  },
};

test.each(Object.entries(HANDLERS))("nothing is left of a refused request whose handler %s", async (_, handler) => {
  const server = await serve(handler);
  for (const bytes of [2, 100_000, 2_000_000]) {
    const statuses = await Promise.all(Array.from({ length: 10 }, () => server.post(bytes, { agent: false })));
    expect(new Set(statuses)).toEqual(new Set([401]));
  }
  await vi.waitFor(() => expect(ticking.size).toBe(0), { timeout: 10_000 });
  await vi.waitFor(async () => expect(await server.connections()).toBe(0), { timeout: 10_000 });
  server.close();
});

test.each(["the client goes away", "the client sends nothing more"])("nothing is left if %s", async (what) => {
  const server = await serve((_, response) => refuse(response), { bytes: 1_000_000, ms: 300 });
  const socket = connect(server.port, "127.0.0.1");
  socket.on("error", () => {});
  const answered = new Promise((resolve) => socket.once("data", resolve));
  socket.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\nbeginning");
  await answered;
  expect(ticking.size).toBe(1);
  if (what === "the client goes away") socket.destroy();
  await vi.waitFor(() => expect(ticking.size).toBe(0), { timeout: 10_000 });
  await vi.waitFor(async () => expect(await server.connections()).toBe(0), { timeout: 10_000 });
  server.close();
});
