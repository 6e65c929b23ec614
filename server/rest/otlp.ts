import { promisify } from "node:util";
import { gunzip, inflate, inflateRaw } from "node:zlib";
import { Writer } from "protobufjs/minimal.js";
import { databaseNow } from "@/db/database-now";
import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { readBody } from "@/server/platform/read-body";
import {
  decodeLogs,
  decodeTraces,
  type Encoding,
  MalformedBody,
  storeLogs,
  storeTraces,
  TRACE_DELETED,
} from "@/server/services/telemetry";

/** Bytes of a batch after decompression, as the interface promises. */
export const OTLP_BODY_LIMIT = 16 * 1024 * 1024;

/** More than that between a process's clock and the database's is no delay on the way. */
const CLOCKS_DIFFER_MS = 60_000;

const ENCODINGS: Record<string, Encoding> = {
  "application/json": "json",
  "application/x-protobuf": "protobuf",
  "application/protobuf": "protobuf",
};

const limited = { maxOutputLength: OTLP_BODY_LIMIT };
const DECOMPRESSORS: Record<string, (body: Uint8Array) => Promise<Uint8Array>> = {
  identity: async (body) => body,
  gzip: (body) => promisify(gunzip)(body, limited),
  "x-gzip": (body) => promisify(gunzip)(body, limited),
  // Clients differ over whether "deflate" has a zlib header; RFC 9110 says it has.
  deflate: (body) => promisify(inflate)(body, limited).catch(orElseRaw(body)),
};

/** `POST /v1/otlp/v1/traces`: 200 means that every span that was not refused is committed. */
export const otlpTraces = otlpDoor(decodeTraces, storeTraces, "rejectedSpans");

/** `POST /v1/otlp/v1/logs`: the same for log records. */
export const otlpLogs = otlpDoor(decodeLogs, storeLogs, "rejectedLogRecords");

function otlpDoor<Batch extends ReturnType<typeof decodeTraces> | ReturnType<typeof decodeLogs>>(
  decode: (body: Uint8Array, encoding: Encoding, nowMs: number) => Batch,
  store: (ctx: Ctx, batch: Batch) => Promise<{ receiptId: string; refused: number }>,
  rejectedField: string,
) {
  return async (request: Request, ctx: Ctx, weigh: (bytes: number) => Promise<void>): Promise<Response> => {
    const encoding = encodingOf(request);
    const body = await decompress(request, await readBody(request, OTLP_BODY_LIMIT));
    await weigh(body.length);
    const batch = await decodedByTheRightTime(ctx, (nowMs) => decode(body, encoding, nowMs));
    const { receiptId, refused } = await store(ctx, batch);

    const rejected = batch.rejections.length + refused;
    const why = [...batch.rejections.map(({ reason }) => reason), ...(refused > 0 ? [TRACE_DELETED] : [])];
    const message = rejected === 0 ? "" : reasons(why);
    const headers = { "x-whetstone-receipt": receiptId, "cache-control": "no-store" };
    if (encoding === "json") {
      const reply = rejected === 0 ? {} : { partialSuccess: { [rejectedField]: rejected, errorMessage: message } };
      return Response.json(reply, { headers });
    }
    return new Response(protobufReply(rejected, message), {
      headers: { ...headers, "content-type": "application/x-protobuf" },
    });
  };
}

function encodingOf(request: Request): Encoding {
  const mediaType = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  const encoding = ENCODINGS[mediaType];
  if (!encoding) {
    throw new ServiceError("unsupported_media_type", "Send application/json or application/x-protobuf.");
  }
  return encoding;
}

async function decompress(request: Request, body: Uint8Array): Promise<Uint8Array> {
  const name = request.headers.get("content-encoding")?.trim().toLowerCase() || "identity";
  const decompressor = Object.hasOwn(DECOMPRESSORS, name) ? DECOMPRESSORS[name] : undefined;
  if (!decompressor)
    throw new ServiceError("unsupported_media_type", "Send the body plain, with gzip or with deflate.");
  try {
    return await decompressor(body);
  } catch (error) {
    if ((error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge();
    throw new ServiceError("invalid", `The body is not valid ${name}.`);
  }
}

function orElseRaw(body: Uint8Array) {
  return (error: { code?: string }) => {
    if (error.code === "ERR_BUFFER_TOO_LARGE") throw error;
    return promisify(inflateRaw)(body, limited);
  };
}

/**
 * What is refused may be refused because this process's clock is behind: then the database's decides. It is asked for
 * nothing else, as its answer costs a way there and back.
 */
async function decodedByTheRightTime<Batch extends { rejections: readonly unknown[] }>(
  ctx: Ctx,
  decode: (nowMs: number) => Batch,
): Promise<Batch> {
  const ownTime = Date.now();
  const batch = decoded(() => decode(ownTime));
  if (batch.rejections.length === 0) return batch;
  const time = await databaseNow(ctx.db);
  return time - ownTime > CLOCKS_DIFFER_MS ? decoded(() => decode(time)) : batch;
}

function decoded<Batch>(decode: () => Batch): Batch {
  try {
    return decode();
  } catch (error) {
    if (error instanceof MalformedBody) throw new ServiceError("invalid", error.message);
    throw error;
  }
}

const tooLarge = () =>
  new ServiceError(
    "too_large",
    `A batch may have ${OTLP_BODY_LIMIT / 1024 / 1024} MiB after decompression; send smaller ones.`,
  );

/** The few different reasons, each once. */
const reasons = (all: readonly string[]) => [...new Set(all)].slice(0, 5).join(" ");

/** `ExportTraceServiceResponse` and its twin for logs share these field numbers. */
function protobufReply(rejected: number, message: string): Uint8Array<ArrayBuffer> {
  const writer = Writer.create();
  if (rejected > 0) {
    writer.uint32(10).fork().uint32(8).int64(rejected).uint32(18).string(message).ldelim();
  }
  return new Uint8Array(writer.finish());
}
