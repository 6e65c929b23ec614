import { Writer } from "protobufjs/minimal.js";
import { z } from "zod";
import { databaseNow } from "@/db/database-now";
import type { Ctx } from "@/server/platform/context";
import { type MediaTypes, type Outgoing, streamVerb } from "@/server/platform/stream-verb";
import type { PrepareAgain } from "../content/store-with-content";
import type { Encoding } from "../otlp";
import { maskingOf } from "./masking-setting";
import { readRequest } from "./read-request";
import type { Signals } from "./reading-thread";
import { type StoredBatch, storePreparedLogs, storePreparedTraces, TRACE_DELETED } from "./store-batch";

/** Bytes of a batch after decompression, as the API documents. */
const MAX_BYTES = 16 * 1024 * 1024;

/** A larger difference between this process's clock and the database's is clock skew, not network delay. */
const MAX_CLOCK_SKEW_MS = 60_000;

/** The contents are defined by the OTLP specification. */
const MESSAGES: MediaTypes = { "application/x-protobuf": {}, "application/json": { type: "object" } };

type Signal<Kind extends keyof Signals> = {
  name: string;
  kind: Kind;
  what: string;
  /** The message's only field. */
  list: string;
  rejectedField: string;
  store: (ctx: Ctx, batch: Signals[Kind], prepareAgain: PrepareAgain<Signals[Kind]>) => Promise<StoredBatch>;
};

/** `POST /v1/otlp/v1/traces`: 200 means that every span that was not rejected is committed. */
export const receiveTraces = receiver({
  name: "otlp.traces",
  kind: "traces",
  what: "spans",
  list: "resourceSpans",
  rejectedField: "rejectedSpans",
  store: storePreparedTraces,
});

/** `POST /v1/otlp/v1/logs`: the same for log records. */
export const receiveLogs = receiver({
  name: "otlp.logs",
  kind: "logs",
  what: "log records",
  list: "resourceLogs",
  rejectedField: "rejectedLogRecords",
  store: storePreparedLogs,
});

function receiver<Kind extends keyof Signals>({ name, kind, what, list, rejectedField, store }: Signal<Kind>) {
  return streamVerb(
    {
      name,
      summary: `Send ${what} (OTLP/HTTP). A 200 response means that they are stored.`,
      description:
        "JSON or protobuf, plain, gzip or deflate, up to 16 MiB. The `X-Whetstone-Receipt` header has the id of the batch's receipt. Resending a batch is safe: spans are deduplicated by trace and span id, log records by their content.",
      capability: "telemetry:write",
      effect: "write",
      input: z.strictObject({}),
      consumes: {
        types: {
          ...MESSAGES,
          "application/json": {
            type: "object",
            // An empty message is `{}`; any other has the list.
            anyOf: [{ required: [list] }, { maxProperties: 0 }],
            properties: { [list]: { type: "array" } },
          },
        },
        aliases: { "application/protobuf": "application/x-protobuf" },
        encodings: ["gzip", "deflate"],
        maxBytes: MAX_BYTES,
      },
      produces: MESSAGES,
      limits: { rate: "telemetry" },
      unaudited: "The receipt is the record of a batch.",
    },
    async (ctx, _, { body }): Promise<Outgoing> => {
      const encoding: Encoding = body.mediaType === "application/json" ? "json" : "protobuf";
      const { batch, receiptId, refused } = await body.whole(async (bytes) => {
        const masking = await maskingOf(ctx);
        const read = (nowMs: number, whole: readonly string[] = []) =>
          readRequest<Kind>({
            signal: kind,
            request: { body: bytes, encoding, nowMs },
            preparation: { projectId: ctx.projectId, masking, whole },
          });
        const { batch, nowMs } = await readBySkewCheckedTime(ctx, read);
        return { batch, ...(await store(ctx, batch, (whole) => read(nowMs, whole))) };
      });

      const rejected = batch.rejections.length + refused;
      const why = [...batch.rejections.map(({ reason }) => reason), ...(refused > 0 ? [TRACE_DELETED] : [])];
      const message = rejected === 0 ? "" : reasons(why);
      const headers = { "x-whetstone-receipt": receiptId };
      if (encoding === "protobuf") {
        return { mediaType: "application/x-protobuf", body: protobufReply(rejected, message), headers };
      }
      const reply = rejected === 0 ? {} : { partialSuccess: { [rejectedField]: rejected, errorMessage: message } };
      return { mediaType: "application/json", body: JSON.stringify(reply), headers };
    },
  );
}

/**
 * Reads with this process's clock, and when items are rejected again with the database's: they may only seem to be in the
 * future because this clock is behind. Only rejections are worth the extra round trip.
 */
async function readBySkewCheckedTime<Batch extends Signals[keyof Signals]>(
  ctx: Ctx,
  read: (nowMs: number) => Promise<Batch>,
): Promise<{ batch: Batch; nowMs: number }> {
  const ownTime = Date.now();
  const batch = await read(ownTime);
  if (batch.rejections.length === 0) return { batch, nowMs: ownTime };
  const time = await databaseNow(ctx.db);
  return time - ownTime > MAX_CLOCK_SKEW_MS ? { batch: await read(time), nowMs: time } : { batch, nowMs: ownTime };
}

/** Returns the first few distinct reasons. */
const reasons = (all: readonly string[]) => [...new Set(all)].slice(0, 5).join(" ");

/** `ExportTraceServiceResponse` and `ExportLogsServiceResponse` share these field numbers. */
function protobufReply(rejected: number, message: string): Uint8Array<ArrayBuffer> {
  const writer = Writer.create();
  if (rejected > 0) {
    writer.uint32(10).fork().uint32(8).int64(rejected).uint32(18).string(message).ldelim();
  }
  return new Uint8Array(writer.finish());
}
