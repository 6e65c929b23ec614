import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { refuseTinyChunks } from "./tiny-chunks";

const server = createServer(async (request, response) => {
  refuseTinyChunks(request, { pieces: 100, averageBytes: 16 });
  let bytes = 0;
  try {
    for await (const piece of request) bytes += piece.length;
    response.end(`read ${bytes}`);
  } catch {
    // The connection is gone.
  }
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => server.close());

/** Sends a body in chunks and returns what comes back before the connection ends. */
async function send(chunks: string[]) {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => {});
  const body = chunks.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join("");
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n${body}0\r\n\r\n`);
  let received = "";
  socket.on("data", (data) => {
    received += data;
  });
  await once(socket, "close");
  return /read \d+/.exec(received)?.[0];
}

test("a body in very many single bytes is broken off", async () => {
  expect(await send(Array<string>(50).fill("x"))).toBe("read 50");
  expect(await send(Array<string>(1_000).fill("x"))).toBeUndefined();
});

test("a body in many lines is read", async () => {
  expect(await send(Array<string>(1_000).fill("x".repeat(20)))).toBe("read 20000");
});
