import { buffer } from "node:stream/consumers";
import type { Ctx } from "@/server/platform/context";
import { SECOND_MS } from "@/server/platform/durations";
import { ServiceError } from "@/server/platform/errors";
import { OutboundError } from "@/server/platform/outbound";
import type { Outgoing } from "@/server/platform/stream-verb";
import { TrainerUnreachable } from "@/server/services/trainers";
import { parsed } from "../calls/fields";
import { type Call, recordCall } from "../recording/record-call";
import { readEvents } from "./read-events";
import { SILENCE, withSilence } from "./with-silence";

/** Before proxies close a connection that carries nothing. */
const SILENCE_MS = 5 * SECOND_MS;
/** Ignored by all clients. */
const COMMENT = ": the model is working\n\n";
const ENDED_EARLY = "The answer ended early.";
const GONE = "The client disconnected.";

/** What answers: a body, and what to do with it. */
export type Reply = {
  body: AsyncIterable<Uint8Array>;
  /** Removes credentials from what the other side says. */
  hide: (text: string) => string;
  /** Called once when nothing more is read, with whether the answer was complete. */
  release: (isComplete: boolean) => void;
};

const isOurs = (error: unknown): error is Error =>
  error instanceof ServiceError || error instanceof OutboundError || error instanceof TrainerUnreachable;

/** Returns why an answer ended early, in our own words. */
export const reasonOf = (error: unknown): string => (isOurs(error) ? error.message : ENDED_EARLY);

/**
 * Yields the events of an answer as they arrive. The call is recorded after the last one, even if the answer breaks off or the
 * client has disconnected: then with what has arrived.
 */
async function* eventsOf(ctx: Ctx, call: Call, { body, hide, release }: Reply, hidesUsage: boolean) {
  const { dialect, answer } = call;
  let error: string | null = GONE;
  try {
    for await (const event of withSilence(readEvents(body), SILENCE_MS)) {
      if (event === SILENCE) {
        yield COMMENT;
        continue;
      }
      const text = hide(event.text);
      const data = event.data === null ? null : hide(event.data);
      const json = data === null ? undefined : parsed(data);
      if (data !== null) call.firstTokenAt ??= Date.now();
      dialect.fold(answer, json);
      const end = data === null ? null : dialect.endOf(data, json);
      if (end) {
        error = end.error;
        yield text;
        return;
      }
      if (!hidesUsage || !dialect.isUsageOnly(json)) yield text;
    }
    // An answer that just ends counts as complete for official clients.
    throw new ServiceError("unavailable", "The model's server ended the answer early.");
  } catch (failure) {
    error = reasonOf(failure);
    // The headers have been sent: clients look for an error among the events.
    yield dialect.errorEvent(error);
  } finally {
    release(error === null);
    await recordCall(ctx, call, error);
  }
}

/** Yields a whole answer, and records the call once it has been sent. */
async function* wholeOf(ctx: Ctx, call: Call, body: Uint8Array, error: string | null) {
  try {
    yield body;
  } finally {
    await recordCall(ctx, call, error);
  }
}

/** Returns a streamed answer as it arrives. */
export const passEvents = (ctx: Ctx, call: Call, reply: Reply, hidesUsage: boolean): Outgoing => ({
  mediaType: "text/event-stream",
  body: eventsOf(ctx, call, reply, hidesUsage),
});

/** Returns an answer that does not arrive in events. Throws if it breaks off or is not JSON: then the call is not recorded yet. */
export async function passWhole(ctx: Ctx, call: Call, { body, hide, release }: Reply): Promise<Outgoing> {
  let isComplete = false;
  try {
    const received = await buffer(body);
    isComplete = true;
    const text = received.toString("utf8");
    const shown = hide(text);
    const sent = shown === text ? received : Buffer.from(shown);
    call.dialect.fold(call.answer, readJson(call, sent));
    return {
      mediaType: "application/json",
      // So that the client need not wait for the end, which comes once the call has been recorded. Next drops it.
      headers: { "content-length": String(sent.length) },
      body: wholeOf(ctx, call, sent, null),
    };
  } finally {
    release(isComplete);
  }
}

function readJson({ dialect }: Call, body: Buffer): unknown {
  try {
    return dialect.read(body);
  } catch {
    throw new ServiceError("unavailable", "The model's server did not reply with JSON.", { retryAfter: 1 });
  }
}
