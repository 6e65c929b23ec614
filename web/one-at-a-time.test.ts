import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { oneAtATime } from "./one-at-a-time";

let started: [string, ServerResponse][];
let server: ReturnType<typeof createServer>;
let socket: Socket;
let received: string;
const paths = () => started.map(([path]) => path);
const request = (path: string, body = "") =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

beforeEach(async () => {
  started = [];
  received = "";
  server = createServer(oneAtATime(({ url = "" }, response) => void started.push([url, response])));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket
    .on("error", () => {})
    .on("data", (data) => {
      received += data;
    });
});
afterEach(() => {
  socket.destroy();
  server.closeAllConnections();
  server.close();
});

test("requests sent in a row are handled one after the other", async () => {
  socket.write(request("/1", "body") + request("/2") + request("/3"));
  for (const path of ["/1", "/2", "/3"]) {
    await vi.waitFor(() => expect(paths().at(-1)).toBe(path), { interval: 5 });
    started.at(-1)?.[1].end(`of ${path}`);
    await vi.waitFor(() => expect(received).toContain(`of ${path}`), { interval: 5 });
  }
  expect(paths()).toEqual(["/1", "/2", "/3"]);
});

test("while nobody reads a response, the next request is not handled", async () => {
  socket.pause();
  socket.write(request("/1") + request("/2"));
  await vi.waitFor(() => expect(paths()).toEqual(["/1"]), { interval: 5 });
  const [, response] = started[0]!;
  response.end(Buffer.alloc(64 * 1024 * 1024));
  await vi.waitFor(() => expect(response.writableEnded && !response.writableFinished).toBe(true), { interval: 5 });
  expect(paths()).toEqual(["/1"]);
  socket.resume();
  await vi.waitFor(() => expect(paths()).toEqual(["/1", "/2"]), { timeout: 10_000, interval: 5 });
});

test("what a client has sent before it left is not handled", async () => {
  socket.write(request("/1") + request("/2"));
  await vi.waitFor(() => expect(paths()).toEqual(["/1"]), { interval: 5 });
  const closed = new Promise((resolve) => started[0]![1].once("close", resolve));
  socket.destroy();
  await closed;
  expect(paths()).toEqual(["/1"]);
});
