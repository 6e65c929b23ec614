import { ServiceError } from "@/server/platform/errors";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import type { Outgoing } from "@/server/platform/stream-verb";

/** Non-ASCII names get a second form (RFC 6266). Both are escaped against header injection. */
function dispositionOf(fileName: string) {
  const plain = fileName.replaceAll(/[^\x20-\x7e]|["\\]/g, "_");
  const exact = plain === fileName ? "" : `; filename*=UTF-8''${encodeURIComponent(fileName)}`;
  return `attachment; filename="${plain}"${exact}`;
}

/**
 * Yields a body that is as long as its declared length, and throws for any other: what a connection carries after the declared
 * length would be read as the response to its next request.
 */
async function* exactly(length: number, body: AsyncIterable<string | Uint8Array>) {
  let sent = 0;
  const wrong = () => new ServiceError("unavailable", "The content does not have the length that was recorded for it.");
  for await (const part of body) {
    sent += typeof part === "string" ? Buffer.byteLength(part) : part.length;
    if (sent > length) throw wrong();
    yield part;
  }
  if (sent < length) throw wrong();
}

type Sending = {
  /** Aborts on the time limit or when the client disconnects. */
  signal: AbortSignal;
  requestId: string;
  /** Called once, when nothing more will be sent. */
  ended: () => void;
};

/** Pulls parts only as the reader has room, and stops when the reader is gone. */
function streamOf(
  first: IteratorResult<string | Uint8Array>,
  parts: AsyncIterator<string | Uint8Array>,
  sending: Sending,
) {
  const { signal, requestId } = sending;
  const encoder = new TextEncoder();
  let next: IteratorResult<string | Uint8Array> | undefined = first;
  let giveUp = () => {};
  const end = () => {
    signal.removeEventListener("abort", giveUp);
    sending.ended();
  };
  const stop = () => {
    end();
    // A part in progress cannot be cancelled: it is discarded when it arrives.
    parts.return?.().catch(() => {});
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        giveUp = () => {
          stop();
          controller.error(signal.reason);
        };
        signal.addEventListener("abort", giveUp, { once: true });
      },
      async pull(controller) {
        try {
          const part = next ?? (await parts.next());
          next = undefined;
          if (signal.aborted) return;
          if (!part.done) {
            controller.enqueue(typeof part.value === "string" ? encoder.encode(part.value) : part.value);
            return;
          }
          end();
          controller.close();
        } catch (error) {
          if (signal.aborted) return;
          end();
          // Too late for a problem response: the connection closes before the body ends, so the client sees that it is incomplete.
          logger("rest").error({ err: loggable(error), requestId }, "A response ended early.");
          controller.error(error);
        }
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  );
}

/** Returns the response once its first part is available: until then an error can still be a problem response. */
export async function outgoingResponse(outgoing: Outgoing, status: number, sending: Sending): Promise<Response> {
  const { mediaType, body, fileName } = outgoing;
  const headers = {
    ...outgoing.headers,
    "content-type": mediaType.startsWith("text/") ? `${mediaType}; charset=utf-8` : mediaType,
    ...(fileName === undefined ? {} : { "content-disposition": dispositionOf(fileName) }),
  };
  if (typeof body === "string" || body instanceof Uint8Array) {
    sending.ended();
    return new Response(body, { status, headers });
  }
  const declared = outgoing.headers?.["content-length"];
  const parts = (declared === undefined ? body : exactly(Number(declared), body))[Symbol.asyncIterator]();
  const first = await parts.next();
  sending.signal.throwIfAborted();
  return new Response(streamOf(first, parts, sending), { status, headers });
}
