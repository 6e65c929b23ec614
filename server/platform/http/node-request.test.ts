import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { handlingNodeRequest } from "./node-request";
import { withBody } from "./read-body";

const MIB = 1024 * 1024;
const BODY = Buffer.alloc(MIB, "0123456789abcdef-");

/** Starts a server that reads a request's body with `withBody`, and returns its URL, what it has read and the request. */
async function serverThatReads(signal?: AbortSignal) {
  const bodies = new EventEmitter();
  const read = once(bodies, "read").then(([body]) => body as Buffer);
  read.catch(() => {});
  const arrived = once(bodies, "arrived").then(([request]) => request as IncomingMessage);
  const server = createServer((request, response) => {
    bodies.emit("arrived", request);
    // As Next passes it on, except that here nobody may read its body.
    const passedOn = new Request("http://localhost/", {
      method: "POST",
      headers: { "content-length": request.headers["content-length"] ?? "" },
      body: new ReadableStream({ pull: (controller) => controller.error(new Error("read from the copy")) }),
      duplex: "half",
    } as RequestInit);
    void handlingNodeRequest(request, async () => {
      try {
        bodies.emit("read", await withBody(passedOn, 2 * MIB, signal, async (body) => Buffer.from(body)));
        response.end("read");
      } catch (error) {
        bodies.emit("error", error);
      }
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, read, arrived };
}

test("a long body is read from the server's own request", async () => {
  const { url, read } = await serverThatReads();
  expect(await (await fetch(url, { method: "POST", body: BODY })).text()).toBe("read");
  expect((await read).equals(BODY)).toBe(true);
});

test("a body that ends early is an invalid request", async () => {
  const { url, read } = await serverThatReads();
  const broken = send(url, { method: "POST", headers: { "content-length": String(BODY.length) } });
  broken.on("error", () => {});
  broken.write(BODY.subarray(0, 100_000), () => setTimeout(() => broken.destroy(), 50));
  await expect(read).rejects.toMatchObject({ code: "invalid", message: "The body ended early." });
});

test("the rest of a request that is given up stays unread", async () => {
  const giveUp = new AbortController();
  const { url, read, arrived } = await serverThatReads(giveUp.signal);
  const stalled = send(url, { method: "POST", headers: { "content-length": String(BODY.length) } });
  stalled.on("error", () => {});
  stalled.write(BODY.subarray(0, 100_000), () => setTimeout(() => giveUp.abort(), 50));
  await expect(read).rejects.toThrow();
  const request = await arrived;
  expect(request.listenerCount("data")).toBe(0);
  expect(request.isPaused()).toBe(true);
});
