import type { Ctx } from "@/server/platform/context";
import { streamVerb } from "@/server/platform/stream-verb";
import { FINE_TUNING_READERS } from "@/server/services/trainers";
import { awaitLog, readLog } from "./read-log";
import { EVENTS_MAX, streamEventsInput } from "./schemas";

/** Proxies close connections that are idle for a minute. */
const HEARTBEAT_SECONDS = 15;
const STREAM_SECONDS = 600;

const sent = (event: string, data: unknown, id?: number) =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

async function* follow(ctx: Ctx, jobId: string, from: number, signal: AbortSignal): AsyncGenerator<string> {
  // Opens the stream: the first event may take a while.
  yield ": connected\n\n";
  for (let after = from; !signal.aborted; ) {
    const { events, lastSeq, finished } = await awaitLog(ctx, jobId, after, EVENTS_MAX, HEARTBEAT_SECONDS);
    for (const event of events) yield sent(event.type, event, event.seq);
    if (lastSeq > after && lastSeq > (events.at(-1)?.seq ?? 0)) yield sent("charts", { lastSeq }, lastSeq);
    if (finished) {
      yield sent("end", { lastSeq });
      return;
    }
    if (lastSeq === after) yield sent("heartbeat", { lastSeq });
    after = lastSeq;
  }
}

export const streamEvents = streamVerb(
  {
    name: "trainingJobs.streamEvents",
    summary: "Follow the events of a training job as server-sent events.",
    description:
      "Each has its number as `id`, its type as `event` and the event of the list as `data`. `charts` is sent when there are new points or progress; `heartbeat` is sent after every 15 s without events; `end` is the last. The stream ends after ten minutes: continue with `after`.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: streamEventsInput,
    produces: { "text/event-stream": { type: "string" } },
    limits: { seconds: STREAM_SECONDS, rate: { perMinute: 60 } },
  },
  async (ctx, { jobId, after }, { signal }) => {
    // Makes another project's job a 404 instead of a stream that breaks off.
    await readLog(ctx, jobId, after, 1);
    const headers = { "cache-control": "no-store", "x-accel-buffering": "no" };
    return { mediaType: "text/event-stream", body: follow(ctx, jobId, after, signal), headers };
  },
);
