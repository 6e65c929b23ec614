import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** Headers of one connection, not of the message. */
const OF_CONNECTION = /^(host|connection|keep-alive|transfer-encoding|content-(length|encoding))$/;

/** Passes what an exporter posts on to `target`, and records the statuses of the replies. */
export async function startRelay(target: string) {
  const statuses: number[] = [];
  const server = createServer(async (request, response) => {
    const headers = Object.entries(request.headers).filter(([name]) => !OF_CONNECTION.test(name));
    const reply = await fetch(`${target}${request.url}`, {
      method: "POST",
      headers: headers as [string, string][],
      body: await buffer(request),
    });
    const body = Buffer.from(await reply.arrayBuffer());
    statuses.push(reply.status);
    response.writeHead(reply.status, [...reply.headers].filter(([name]) => !OF_CONNECTION.test(name)).flat());
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    statuses,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
