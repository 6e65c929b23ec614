import { ServiceError } from "@/server/platform/errors";
import type { Dialect } from "../calls/dialect";
import { fieldsOf, parsed, textOf } from "../calls/fields";
import { brokenOff, type Reply } from "../streams/pass-on";
import { readEvents, type StreamEvent } from "../streams/read-events";

/** Codes and types of errors for which the request is at fault, which no other model would answer either. */
const OF_CALLER = /^(invalid_|context_length_exceeded|content_filter|string_above_max_length)/;

function isCallersFault(json: unknown): boolean {
  const event = fieldsOf(json);
  const { code, type } = fieldsOf(event.error ?? fieldsOf(event.response).error ?? event);
  return [code, type].some((one) => OF_CALLER.test(textOf(one) ?? ""));
}

/**
 * Reads a streamed answer up to its first content and returns its events from the beginning. Throws if it fails or ends before:
 * then a client has got nothing of it, and another model can be asked.
 */
export async function holdStart(dialect: Dialect, { body, hide }: Reply): Promise<AsyncIterable<StreamEvent>> {
  const events = readEvents(body);
  const held: StreamEvent[] = [];
  for (;;) {
    const next = await events.next();
    if (next.done) throw brokenOff();
    held.push(next.value);
    if (next.value.data === null) continue;
    const data = hide(next.value.data);
    const json = parsed(data);
    const end = dialect.endOf(data, json);
    if (end && end.error !== null && !isCallersFault(json)) throw new ServiceError("unavailable", end.error);
    if (end || !dialect.isPreamble(json)) return continued(held, events);
  }
}

async function* continued(held: readonly StreamEvent[], rest: AsyncIterable<StreamEvent>) {
  yield* held;
  yield* rest;
}
