// Handles a request that no connection of ours brought, as the one that it could have been.
import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Socket } from "node:net";

/** A request handler: Next, or a wrapper around it. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<unknown> | unknown;
export type InProcessRequest = {
  method: string;
  url: string;
  /** By names in lower case. */
  headers?: Record<string, string>;
  body?: Uint8Array;
  /** Aborted when nobody waits for the reply any more. */
  signal?: AbortSignal;
};
export type InProcessReply = { status: number; headers: OutgoingHttpHeaders; body: Buffer };

/** Calls the handler with this request and returns its whole reply. Throws if the handler fails, or has been given up. */
export async function requestInProcess(
  handler: Handler,
  { method, url, headers = {}, body, signal }: InProcessRequest,
): Promise<InProcessReply> {
  const request = new IncomingMessage(new Socket());
  const length: Record<string, string> = body ? { "content-length": String(body.length) } : {};
  Object.assign(request, { method, url, headers: { host: "localhost", ...headers, ...length }, complete: true });
  if (body && body.length > 0) request.push(body);
  request.push(null);
  const response = new ServerResponse(request);
  const written = capture(response);
  const given = Promise.withResolvers<never>();
  const giveUp = () => {
    const error = new Error("Nobody waits for the reply.");
    request.destroy(error);
    given.reject(error);
  };
  // Of a body that nobody reads any more.
  request.on("error", () => {});
  signal?.addEventListener("abort", giveUp, { once: true });
  if (signal?.aborted) giveUp();
  try {
    const handled = Promise.resolve(handler(request, response)).then(() => written);
    const text = await Promise.race([written, handled, given.promise]);
    return { status: response.statusCode, headers: response.getHeaders(), body: text };
  } finally {
    signal?.removeEventListener("abort", giveUp);
    response.emit("close");
  }
}

/** Resolves with everything written to a response without a socket. */
function capture(response: ServerResponse): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const take = ([chunk, encoding, callback]: unknown[]) => {
    if (typeof chunk === "string") chunks.push(Buffer.from(chunk, encoding as BufferEncoding));
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
    const done = [chunk, encoding, callback].find((one) => typeof one === "function");
    if (done) queueMicrotask(done as () => void);
  };
  return new Promise((resolve) => {
    Object.assign(response, {
      // Node keeps what is given here apart from the other headers.
      writeHead(status: number, ...given: unknown[]) {
        response.statusCode = status;
        const headers = given.find((one): one is OutgoingHttpHeaders => typeof one === "object" && one !== null) ?? {};
        for (const [name, value] of Object.entries(headers)) if (value !== undefined) response.setHeader(name, value);
        return response;
      },
      write: (...given: unknown[]) => {
        take(given);
        return true;
      },
      end: (...given: unknown[]) => {
        take(given);
        response.emit("finish");
        resolve(Buffer.concat(chunks));
        return response;
      },
    });
  });
}
