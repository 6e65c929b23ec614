import { AsyncLocalStorage } from "node:async_hooks";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { withPageBulkhead } from "./page-bulkhead";

/** Pages being rendered, by their path. */
let rendering: Map<string, ServerResponse>;
let started: string[];
const context = new AsyncLocalStorage<string | undefined>();
let contexts: (string | undefined)[];
let server: ReturnType<typeof createServer>;
let sockets: Socket[];
const CONCURRENT = 2;
beforeEach(async () => {
  [rendering, started, contexts, sockets] = [new Map(), [], [], []];
  const handler = withPageBulkhead(
    ({ url = "" }, response) =>
      new Promise<void>((done) => {
        started.push(url);
        contexts.push(context.getStore());
        rendering.set(url, response);
        response.once("finish", done);
      }),
    { concurrent: CONCURRENT, renderingMs: 60_000 },
  );
  server = createServer((request, response) => context.run(request.url, () => void handler(request, response)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

const ask = (network: string, ...paths: string[]) => {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket
    .on("error", () => {})
    .write(paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: x\r\nx-forwarded-for: ${network}\r\n\r\n`).join(""));
  sockets.push(socket);
  return socket;
};
const haveStarted = (...paths: string[]) => vi.waitFor(() => expect(started).toEqual(paths), { interval: 5 });
const finish = (path: string) => rendering.get(path)?.end("done");

test("a few pages are rendered at once, and the next when one is done", async () => {
  ask("192.0.2.1", "/1", "/2", "/3");
  await haveStarted("/1", "/2");
  finish("/1");
  await haveStarted("/1", "/2", "/3");
  expect(contexts).toEqual(started);
});

test("a visitor does not wait for all that another has asked for", async () => {
  ask("192.0.2.1", "/1", "/2", "/3", "/4", "/5");
  await haveStarted("/1", "/2");
  ask("192.0.2.2", "/other");
  await vi.waitFor(async () => expect(await connections()).toBe(2));
  for (const [page, then] of [
    ["/1", "/3"],
    ["/2", "/other"],
  ] as const) {
    finish(page);
    await vi.waitFor(() => expect(started.at(-1)).toBe(then), { interval: 5 });
  }
});

test("a page whose visitor has left is not rendered", async () => {
  const left = ask("192.0.2.1", "/1", "/2", "/3", "/4");
  await haveStarted("/1", "/2");
  ask("192.0.2.2", "/other");
  await vi.waitFor(async () => expect(await connections()).toBe(2));
  left.destroy();
  await haveStarted("/1", "/2", "/other");
});

test("data, files and checks do not wait for pages", async () => {
  ask("192.0.2.1", "/1", "/2", "/3");
  await haveStarted("/1", "/2");
  const others = ["/v1/projects", "/api/trpc/x", "/_next/static/a.js", "/healthz", "/readyz?x=1"];
  for (const path of others) ask("192.0.2.1", path);
  await vi.waitFor(() => expect(new Set(started)).toEqual(new Set(["/1", "/2", ...others])));
});

const connections = () =>
  new Promise<number>((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
