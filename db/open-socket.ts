import { connect, type Socket } from "node:net";

/** What postgres.js tells of where to connect. */
type Where = { host: string[]; port: number[]; path: string | false | undefined };

/**
 * Opens the pool's connections, of which two things are known that postgres.js does not look after: one that is closed
 * before it said a word (by a balancer with nothing behind it) is an error, or it would be tried again without a pause for
 * ever, and whoever asked would never hear; and one that is silent for longer than any statement may take is dead, though
 * nobody said so (a network that swallows).
 */
export function socketOpener({ silentMs }: { silentMs: number }) {
  let turn = 0;
  return ({ host, port, path }: Where): Socket => {
    const n = turn++ % host.length;
    const socket = path ? connect({ path }) : connect({ host: host[n] as string, port: port[n] as number });
    // TLS asks for the certificate of this name.
    Object.assign(socket, { host: host[n] });
    const fail = (code: string, message: string) => socket.destroy(Object.assign(new Error(message), { code }));
    socket.once("end", () => {
      if (socket.bytesRead === 0) fail("ECONNRESET", "The database closed the connection before it said anything.");
    });
    if (silentMs > 0) {
      socket.setTimeout(silentMs, () => fail("ETIMEDOUT", `The database said nothing for ${silentMs / 1000} s.`));
    }
    return socket;
  };
}
