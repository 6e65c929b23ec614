import http from "node:http";

/**
 * Posts batches (protobuf unless JSON is requested) over keep-alive connections and returns the status. A request on a
 * connection that the server was just closing for inactivity is retried, as Node's documentation recommends and exporters do:
 * the server has read none of it.
 */
export function senderTo(
  { url, secret }: { url: string; secret: string },
  connections: number,
  contentType: "application/x-protobuf" | "application/json" = "application/x-protobuf",
) {
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
            "content-type": contentType,
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
