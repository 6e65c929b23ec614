// Ends requests whose body comes in more pieces than it is worth: a piece of one byte costs a call as one of 64 KiB does.
import type { IncomingMessage } from "node:http";

/** A slow sender's body comes in pieces of a line or more; a fast one's are as large as a packet. */
const LIMITS = { pieces: 500, averageBytes: 16 };

/** Destroys the connection of a request whose body comes in very many very small pieces. Must be called before it is read. */
export function refuseTinyChunks(request: IncomingMessage, limits = LIMITS) {
  if (request.headers["transfer-encoding"] === undefined && request.headers["content-length"] === undefined) return;
  let pieces = 0;
  let bytes = 0;
  // Node's parser pushes each piece, whether or not anybody reads the stream.
  const push = request.push.bind(request);
  request.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
    pieces++;
    bytes += chunk?.length ?? 0;
    if (chunk !== null && pieces > limits.pieces && bytes < pieces * limits.averageBytes) {
      request.socket.destroy();
      // The parser goes on with the thousands that came in the same packet.
      return false;
    }
    return push(chunk, encoding);
  };
}
