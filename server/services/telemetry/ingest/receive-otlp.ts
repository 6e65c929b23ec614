import { Writer } from "protobufjs/minimal.js";
import { z } from "zod";
import { ServiceError } from "@/server/platform/errors";
import { refusals } from "@/server/platform/http/telemetry-refusals";
import { type MediaTypes, type Outgoing, streamVerb } from "@/server/platform/stream-verb";
import { countDataPoints, type Encoding, MalformedBody } from "../otlp";
import { maskingOf } from "./masking-setting";
import { receiveRequest } from "./receive-request";
import type { Signal } from "./store-request";

/** Bytes of a batch after decompression, as the API documents. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The contents are defined by the OTLP specification. */
const MESSAGES: MediaTypes = { "application/x-protobuf": {}, "application/json": { type: "object" } };

type Endpoint = {
  name: string;
  signal: Signal;
  what: string;
  /** The message's only field. */
  list: string;
  rejectedField: string;
};

/** `POST /v1/otlp/v1/traces`: 200 means that every span that was not rejected is committed. */
export const receiveTraces = receiver({
  name: "otlp.traces",
  signal: "traces",
  what: "spans",
  list: "resourceSpans",
  rejectedField: "rejectedSpans",
});

/** `POST /v1/otlp/v1/logs`: the same for log records. */
export const receiveLogs = receiver({
  name: "otlp.logs",
  signal: "logs",
  what: "log records",
  list: "resourceLogs",
  rejectedField: "rejectedLogRecords",
});

/** Bytes of a batch of metrics after decompression: they are only counted, in this process. */
const METRICS_MAX_BYTES = 4 * 1024 * 1024;

const NO_METRICS = "Whetstone does not store metrics. To stop sending them, set OTEL_METRICS_EXPORTER=none.";

/**
 * `POST /v1/otlp/v1/metrics`: auto-instrumentation sends metrics unasked. The reply is a partial success, so that exporters
 * neither repeat a batch nor report a missing address each minute.
 */
export const refuseMetrics = streamVerb(
  {
    name: "otlp.metrics",
    summary: "Accepts metrics (OTLP/HTTP) and stores none of them, as the reply says.",
    description:
      "JSON or protobuf, plain, gzip or deflate, up to 4 MiB. The reply is a 200 whose partial success rejects all data points and names the setting that stops an exporter from sending them.",
    capability: "telemetry:write",
    effect: "write",
    input: z.strictObject({}),
    consumes: {
      types: MESSAGES,
      aliases: { "application/protobuf": "application/x-protobuf" },
      encodings: ["gzip", "deflate"],
      maxBytes: METRICS_MAX_BYTES,
    },
    produces: MESSAGES,
    limits: { rate: "telemetry" },
    unaudited: "Nothing is stored.",
  },
  async ({ actor }, _, { body }): Promise<Outgoing> => {
    const encoding: Encoding = body.mediaType === "application/json" ? "json" : "protobuf";
    const rejected = await body.whole(async (bytes) => pointsIn(bytes, encoding));
    if (rejected > 0 && actor.kind === "apiKey") refusals.countOfKey("metrics_not_stored", actor.keyId);
    return replyOf(encoding, "rejectedDataPoints", rejected, NO_METRICS);
  },
);

function pointsIn(bytes: Uint8Array, encoding: Encoding): number {
  try {
    return countDataPoints(bytes, encoding);
  } catch (error) {
    if (error instanceof MalformedBody) throw new ServiceError("invalid", error.message);
    throw error;
  }
}

function receiver({ name, signal, what, list, rejectedField }: Endpoint) {
  return streamVerb(
    {
      name,
      summary: `Send ${what} (OTLP/HTTP). A 200 response means that they are stored.`,
      description:
        "JSON or protobuf, plain, gzip or deflate, up to 16 MiB. The `X-Whetstone-Receipt` header has the id of the batch's receipt. Resending a batch is safe: spans are deduplicated by trace and span id, log records by their content. Strings longer than 1 MiB are cut, and say so; in JSON text over 1 MiB, those longer than 65,536 characters.",
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
      const { receiptId, rejected, reasons } = await body.whole(async (bytes) =>
        receiveRequest(ctx, { signal, body: bytes, encoding, masking: await maskingOf(ctx) }),
      );
      const reply = replyOf(encoding, rejectedField, rejected, reasons.join(" "));
      return { ...reply, headers: { "x-whetstone-receipt": receiptId } };
    },
  );
}

function replyOf(encoding: Encoding, rejectedField: string, rejected: number, message: string): Outgoing {
  if (encoding === "protobuf") {
    return { mediaType: "application/x-protobuf", body: protobufReply(rejected, message) };
  }
  const reply = rejected === 0 ? {} : { partialSuccess: { [rejectedField]: rejected, errorMessage: message } };
  return { mediaType: "application/json", body: JSON.stringify(reply) };
}

/** The responses of the three signals share these field numbers. */
function protobufReply(rejected: number, message: string): Uint8Array<ArrayBuffer> {
  const writer = Writer.create();
  if (rejected > 0) {
    writer.uint32(10).fork().uint32(8).int64(rejected).uint32(18).string(message).ldelim();
  }
  return new Uint8Array(writer.finish());
}
