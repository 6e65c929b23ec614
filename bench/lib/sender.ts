import http from "node:http";

/**
 * Posts batches of protobuf over so many connections that stay open; answers the status. A connection that the server
 * closes for its idleness just when it is used again is tried anew, as Node's documentation has a client do and exporters
 * do: nothing was read of such a request.
 */
export function senderTo({ url, secret }: { url: string; secret: string }, connections: number) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const post = (body: Uint8Array) =>
    new Promise<number>((resolve, reject) => {
      const request = http.request(
        `${url}/v1/otlp/v1/traces`,
        {
          method: "POST",
          agent,
          headers: {
            authorization: `Bearer ${secret}`,
            "content-type": "application/x-protobuf",
            "content-length": body.byteLength,
          },
        },
        (reply) => reply.resume().on("end", () => resolve(reply.statusCode ?? 0)),
      );
      request.on("error", (error: NodeJS.ErrnoException) => {
        if (request.reusedSocket && error.code === "ECONNRESET") resolve(post(body));
        else reject(error);
      });
      request.end(body);
    });
  return { post, close: () => agent.destroy() };
}
