import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { CERTIFICATE, KEY } from "./certificate";

export type Service = { port: number; url: string; hits: string[]; connections: () => number };

/** Starts a real server on this machine for the duration of a test. `hits` lists its requests. */
export async function startService(
  serves: RequestListener,
  { tls = false, host = "127.0.0.1" } = {},
): Promise<Service> {
  const hits: string[] = [];
  const listener: RequestListener = (request, response) => {
    hits.push(`${request.method} ${request.url}`);
    serves(request, response);
  };
  const server: Server = tls ? createTlsServer({ key: KEY, cert: CERTIFICATE }, listener) : createServer(listener);
  let connections = 0;
  server.on("connection", () => {
    connections += 1;
  });
  server.listen(0, host);
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `${tls ? "https" : "http"}://${host}:${port}`, hits, connections: () => connections };
}

/** Returns a listener that gives every request this response. */
export const respondWith =
  (body: string | Buffer = "yes", status = 200, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body);

/** Returns a resolver that knows only these names. */
export const resolverFor =
  (names: Record<string, readonly string[]>) =>
  async (host: string): Promise<{ address: string; family: number }[]> => {
    const found = names[host];
    if (!found) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: "ENOTFOUND" });
    return found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  };
