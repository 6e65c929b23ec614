import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { NodeNextRequest, NodeNextResponse } from "next/dist/server/base-http/node";
import { sendResponse } from "next/dist/server/send-response";
import { NextRequestAdapter, signalFromNodeResponse } from "next/dist/server/web/spec-extension/adapters/next-request";
import { afterAll } from "vitest";

/** For tests: serves over HTTP through Next's request and response adapters. Returns the origin. */
export async function serve(handler: (request: Request) => Promise<Response>) {
  const server = createServer(async (request, response) => {
    const asked = new NodeNextRequest(request);
    try {
      const reply = await handler(NextRequestAdapter.fromNodeNextRequest(asked, signalFromNodeResponse(response)));
      await sendResponse(asked, new NodeNextResponse(response), reply);
    } catch {
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
