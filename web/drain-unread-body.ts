// Lets clients read a response that is sent before the end of their request. Most send the whole request first, and closing
// a connection with unread bytes resets it, which discards the response.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

const MIB = 1024 * 1024;
/** nginx lingers as long (lingering_time), and reads without a byte limit. */
const LIMITS = { bytes: 64 * MIB, ms: 30_000 };

const LOOK_MS = 50;

/**
 * Reads and discards the rest of a request's body after its response, within `limits`, and then lets the connection end.
 * Must be called before the response is sent.
 */
export function drainUnreadBody(request: IncomingMessage, response: ServerResponse, limits = LIMITS) {
  if (request.headers["content-length"] === undefined && request.headers["transfer-encoding"] === undefined) return;
  const { socket } = request;
  // `complete` and not only `readableEnded`: a body that nobody reads arrives without its stream ever ending.
  const isUnread = () => !request.complete && !request.readableEnded && !request.destroyed;
  const closing = deferredClose(socket, isUnread);
  response.once("finish", () => {
    if (!isUnread()) return closing.release();
    const from = socket.bytesRead;
    const until = performance.now() + limits.ms;
    // Measured at the socket: what Node discards itself passes no stream.
    const watch = setInterval(() => {
      if (socket.bytesRead - from > limits.bytes || performance.now() > until) socket.destroy();
      // Asked here as well: `end` and `close` may have passed already, and then never come.
      if (!isUnread() || socket.destroyed) done();
    }, LOOK_MS);
    watch.unref();
    const done = () => {
      clearInterval(watch);
      socket.off("close", done);
      closing.release();
    };
    request.once("end", done).once("close", done);
    socket.once("close", done);
    // The handler is done with the body and may have stopped halfway.
    request.unpipe();
    request.removeAllListeners("data").removeAllListeners("readable");
    // Only then does the stream know that nobody waits for `readable`, which would keep it from flowing.
    process.nextTick(() => request.resume());
  });
  response.once("close", () => {
    if (!response.writableFinished) closing.release();
  });
}

/**
 * Where the client asked for the connection to be closed, Node closes it with the response. Until `release`, only our half
 * is closed while the body is unread.
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
