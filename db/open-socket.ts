import { connect, type Socket } from "node:net";

/** The connection target as postgres.js passes it. */
type Where = { host: string[]; port: number[]; path: string | false | undefined };

/**
 * Opens the pool's connections and covers two cases that postgres.js does not. A connection closed before it sent anything
 * (by a balancer with no backend) is an error; postgres.js would retry it forever without a delay, and the caller would
 * never get a reply. A connection silent for longer than any statement may take is dead, although nothing reported it (a
 * network that drops packets).
 */
export function socketOpener({ silentMs }: { silentMs: number }) {
  let turn = 0;
  return ({ host, port, path }: Where): Socket => {
    const n = turn++ % host.length;
    const socket = path ? connect({ path }) : connect({ host: host[n] as string, port: port[n] as number });
    // TLS checks the certificate against this name.
    Object.assign(socket, { host: host[n] });
    const fail = (code: string, message: string) => socket.destroy(Object.assign(new Error(message), { code }));
    socket.once("end", () => {
      if (socket.bytesRead === 0) fail("ECONNRESET", "The database closed the connection before it sent anything.");
    });
    if (silentMs > 0) {
      socket.setTimeout(silentMs, () => fail("ETIMEDOUT", `The database sent nothing for ${silentMs / 1000} s.`));
    }
    return socket;
  };
}
