import { Writer } from "protobufjs/minimal.js";
import { z } from "zod";
import { type MediaTypes, type Outgoing, streamVerb } from "@/server/platform/stream-verb";
import type { Encoding } from "../otlp";
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
      const message = reasons.join(" ");
      const headers = { "x-whetstone-receipt": receiptId };
      if (encoding === "protobuf") {
        return { mediaType: "application/x-protobuf", body: protobufReply(rejected, message), headers };
      }
      const reply = rejected === 0 ? {} : { partialSuccess: { [rejectedField]: rejected, errorMessage: message } };
      return { mediaType: "application/json", body: JSON.stringify(reply), headers };
    },
  );
}

/** `ExportTraceServiceResponse` and `ExportLogsServiceResponse` share these field numbers. */
function protobufReply(rejected: number, message: string): Uint8Array<ArrayBuffer> {
  const writer = Writer.create();
  if (rejected > 0) {
    writer.uint32(10).fork().uint32(8).int64(rejected).uint32(18).string(message).ldelim();
  }
  return new Uint8Array(writer.finish());
}
