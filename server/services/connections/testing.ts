import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export type Received = { method: string; path: string; headers: IncomingMessage["headers"]; body: string };
type Reply = (request: Received, response: ServerResponse) => unknown;

/** For tests: starts a service on loopback. `reply` may be replaced while it runs. */
export async function startService(reply: Reply) {
  const received: Received[] = [];
  const service = { reply, received, url: "", stop: async () => {} };
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    const seen = { method, path: url, headers, body: await text(request) };
    received.push(seen);
    await service.reply(seen, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  service.stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return service;
}

/** For tests: sends a JSON reply as services do. */
export const json = (response: ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
