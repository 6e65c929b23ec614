import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Runs `handle` once the responses to earlier requests on the same connection have been sent, and not at all if the client has
 * left by then. Node would start all that a client sends in a row, and keep the responses in memory until somebody reads them.
 * Other connections have their turn in between.
 */
export function oneAtATime(handle: (request: IncomingMessage, response: ServerResponse) => void) {
  const last = new WeakMap<Socket, Promise<void>>();
  return (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const before = last.get(socket);
    const closed = new Promise<void>((resolve) => response.once("close", resolve));
    last.set(socket, closed);
    void closed.then(() => {
      if (last.get(socket) === closed) last.delete(socket);
    });
    if (!before) return handle(request, response);
    void before.then(() =>
      setImmediate(() => {
        if (!socket.destroyed) handle(request, response);
      }),
    );
  };
}
