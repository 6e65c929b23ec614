// An answer that comes before the end of its request: most clients send all they have before they read any of it, and a
// connection that is closed on unread bytes takes the answer with it.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

const MIB = 1024 * 1024;
/** nginx lingers as long, and reads whatever comes meanwhile. */
const LIMITS = { bytes: 64 * MIB, ms: 30_000 };

const LOOK_MS = 50;

/**
 * Reads what is left of a request's body after its answer and throws it away: as much, and for as long, as `limits` say. Then
 * the connection ends. Called before anything is answered.
 */
export function drainUnreadBody(request: IncomingMessage, response: ServerResponse, limits = LIMITS) {
  if (request.headers["content-length"] === undefined && request.headers["transfer-encoding"] === undefined) return;
  const { socket } = request;
  const isUnread = () => !request.readableEnded && !request.destroyed;
  const closing = deferredClose(socket, isUnread);
  response.once("finish", () => {
    if (!isUnread()) return closing.release();
    const from = socket.bytesRead;
    const until = performance.now() + limits.ms;
    // Told by the socket: what Node throws away by itself passes no stream.
    const watch = setInterval(() => {
      if (socket.bytesRead - from > limits.bytes || performance.now() > until) socket.destroy();
    }, LOOK_MS);
    watch.unref();
    const done = () => {
      clearInterval(watch);
      closing.release();
    };
    request.once("end", done).once("close", done);
    // Whoever answered has no more use for it, and may have stopped in the middle.
    request.unpipe();
    request.removeAllListeners("data").removeAllListeners("readable");
    request.resume();
  });
  response.once("close", () => {
    if (!response.writableFinished) closing.release();
  });
}

/**
 * Where a client asked for the connection to be closed, Node closes it with the answer. Until `release` only our half is
 * closed, while there is something unread.
 */
function deferredClose(socket: Socket, isUnread: () => boolean) {
  const close = socket.destroySoon;
  let wanted = false;
  socket.destroySoon = () => {
    if (!isUnread()) return close.call(socket);
    wanted = true;
    socket.end();
  };
  return {
    release() {
      socket.destroySoon = close;
      if (wanted) close.call(socket);
    },
  };
}
