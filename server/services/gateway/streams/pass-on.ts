import { buffer } from "node:stream/consumers";
import type { Ctx } from "@/server/platform/context";
import { SECOND_MS } from "@/server/platform/durations";
import { ServiceError } from "@/server/platform/errors";
import { OutboundError } from "@/server/platform/outbound";
import type { Outgoing } from "@/server/platform/stream-verb";
import { TrainerUnreachable } from "@/server/services/trainers";
import { parsed } from "../calls/fields";
import { type Call, recordCall } from "../recording/record-call";
import { readEvents, type StreamEvent } from "./read-events";
import { SILENCE, withSilence } from "./with-silence";

/** Before proxies close a connection that carries nothing. */
export const SILENCE_MS = 5 * SECOND_MS;
/** Ignored by all clients. */
export const COMMENT = ": the model is working\n\n";
const ENDED_EARLY = "The answer ended early.";
/** The error for an answer that just ends. */
export const brokenOff = () => new ServiceError("unavailable", "The model's server ended the answer early.");
const GONE = "The client disconnected.";

/** What answers: a body, and what to do with it. */
export type Reply = {
  body: AsyncIterable<Uint8Array>;
  /** What the client is told about it in headers. */
  headers?: Readonly<Record<string, string>>;
  /** Whether it arrives in events. */
  isStreamed: boolean;
  /** Whether the client did not ask for the event that tells the token counts. */
  hidesUsage: boolean;
  /** The events of the body, if some have been read already. */
  events?: AsyncIterable<StreamEvent>;
  /** Removes credentials from what the other side says. */
  hide: (text: string) => string;
  /** Called once when nothing more is read, with whether the answer was complete. */
  release: (isComplete: boolean) => void;
};

/** A call that may be made. `begin` resolves once it is being answered, and throws if it is refused: it is not recorded then. */
export type Attempt = { call: Call; begin: (signal: AbortSignal) => Promise<Reply> };

/** An answer on its way to the client. */
export type Passed = Outgoing & { body: AsyncIterable<string | Uint8Array> };

export const EVENT_STREAM = "text/event-stream";

const isOurs = (error: unknown): error is Error =>
  error instanceof ServiceError || error instanceof OutboundError || error instanceof TrainerUnreachable;

/** Returns why an answer ended early, in our own words. */
export const reasonOf = (error: unknown): string => (isOurs(error) ? error.message : ENDED_EARLY);

/**
 * Yields the events of an answer as they arrive. The call is recorded after the last one, even if the answer breaks off or the
 * client has disconnected: then with what has arrived.
 */
async function* eventsOf(ctx: Ctx, call: Call, { body, events = readEvents(body), hide, release, hidesUsage }: Reply) {
  const { dialect, answer } = call;
  let error: string | null = GONE;
  try {
    for await (const event of withSilence(events, SILENCE_MS)) {
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
    throw brokenOff();
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

/**
 * Returns an answer as it arrives. Throws if one that does not arrive in events breaks off or is not JSON: then the call is not
 * recorded yet.
 */
export const passOn = async (ctx: Ctx, call: Call, reply: Reply): Promise<Passed> =>
  reply.isStreamed
    ? { mediaType: EVENT_STREAM, headers: { ...reply.headers }, body: eventsOf(ctx, call, reply) }
    : passWhole(ctx, call, reply);

async function passWhole(ctx: Ctx, call: Call, { headers, body, hide, release }: Reply): Promise<Passed> {
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
      headers: { ...headers, "content-length": String(sent.length) },
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
