import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { createDispatcher } from "@/server/rest/dispatcher";
import { OPERATIONS } from "@/server/rest/operations";

/** For tests: serves `/v1` in a process of its own until it is killed. Sends its origin when it is asked. */
const dispatch = createDispatcher(OPERATIONS);
const server = createServer(async (request, response) => {
  const { status, headers, body } = await dispatch(
    new Request(`http://127.0.0.1${request.url}`, {
      method: request.method ?? "GET",
      headers: request.headers as Record<string, string>,
      body: Readable.toWeb(request) as ReadableStream,
      duplex: "half",
    } as RequestInit),
  );
  response.writeHead(status, Object.fromEntries(headers));
  const reader = body?.getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) response.write(part.value);
  response.end();
});
process.once("message", () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
server.listen(0, "127.0.0.1", () => process.send?.("ready"));
