import { logger } from "@/server/platform/log";
import { loggable } from "@/server/platform/loggable";
import type { Outgoing } from "@/server/platform/stream-verb";

/** A name that is not ASCII has a second form (RFC 6266); neither can end the header early. */
function dispositionOf(fileName: string) {
  const plain = fileName.replaceAll(/[^\x20-\x7e]|["\\]/g, "_");
  const exact = plain === fileName ? "" : `; filename*=UTF-8''${encodeURIComponent(fileName)}`;
  return `attachment; filename="${plain}"${exact}`;
}

type Sending = {
  /** Ends the sending: its time is up, or its reader is gone. */
  signal: AbortSignal;
  requestId: string;
  /** Called once, when nothing more is sent. */
  ended: () => void;
};

/** What is sent is asked for when the reader has room for it, and no further when the reader is gone. */
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
    // A part that is being made cannot be called back: it is thrown away when it comes.
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
          // Too late for a problem: the connection ends before the body does, and the client sees that it is not whole.
          logger("rest").error({ err: loggable(error), requestId }, "An answer broke off.");
          controller.error(error);
        }
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  );
}

/** Returns the response once its first part is there: whatever goes wrong until then is still a problem. */
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
  const parts = body[Symbol.asyncIterator]();
  const first = await parts.next();
  sending.signal.throwIfAborted();
  return new Response(streamOf(first, parts, sending), { status, headers });
}
