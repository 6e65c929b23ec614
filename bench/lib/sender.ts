import http from "node:http";

/** Posts batches of protobuf over so many connections that stay open; answers the status. */
export function senderTo({ url, secret }: { url: string; secret: string }, connections: number) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  return {
    post: (body: Uint8Array) =>
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
        request.on("error", reject).end(body);
      }),
    close: () => agent.destroy(),
  };
}
