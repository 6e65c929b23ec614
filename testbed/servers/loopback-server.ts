import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An HTTP server on a free port of loopback, for an API that begins at `path`. */
export abstract class LoopbackServer {
  url = "";
  private readonly server = createServer((request, response) => void this.handle(request, response));

  constructor(private readonly path: string) {}

  protected abstract handle(request: IncomingMessage, response: ServerResponse): unknown;

  async start() {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${this.path}`;
    return this;
  }

  async stop() {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
