import { databaseNow } from "@/db/database-now";
import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import type { PrepareAgain } from "../content/store-with-content";
import type { Masking } from "../masking";
import { type Encoding, MalformedBody } from "../otlp";
import {
  type Preparation,
  type PreparedLogs,
  type PreparedTraces,
  type Request,
  readLogs,
  readTraces,
} from "./prepare-batch";
import { type StoredBatch, storePreparedLogs, storePreparedTraces, TRACE_DELETED } from "./store-batch";

/** A larger difference between this process's clock and the database's is clock skew, not network delay. */
const MAX_CLOCK_SKEW_MS = 60_000;

/** How many distinct reasons a reply contains. */
const REASONS_MAX = 5;

export type Signal = "traces" | "logs";
export type TelemetryRequest = { signal: Signal; body: Uint8Array; encoding: Encoding; masking: Masking };
/** `reasons`: the first few distinct ones of the items that were rejected. */
export type StoredRequest = { receiptId: string; rejected: number; reasons: readonly string[] };

type Work<Batch> = {
  read: (request: Request, preparation: Preparation) => Batch;
  store: (ctx: Ctx, batch: Batch, prepareAgain: PrepareAgain<Batch>) => Promise<StoredBatch>;
};
const TRACES: Work<PreparedTraces> = { read: readTraces, store: storePreparedTraces };
const LOGS: Work<PreparedLogs> = { read: readLogs, store: storePreparedLogs };

/** Decodes, masks, divides and stores a request. Throws `invalid` if its body cannot be read. */
export const storeRequest = (ctx: Ctx, request: TelemetryRequest): Promise<StoredRequest> =>
  request.signal === "traces" ? storeWith(TRACES, ctx, request) : storeWith(LOGS, ctx, request);

async function storeWith<Batch extends PreparedTraces | PreparedLogs>(
  { read, store }: Work<Batch>,
  ctx: Ctx,
  { body, encoding, masking }: TelemetryRequest,
): Promise<StoredRequest> {
  const readAt = (nowMs: number, whole: readonly string[] = []) => {
    try {
      return read({ body, encoding, nowMs }, { projectId: ctx.projectId, masking, whole });
    } catch (error) {
      if (error instanceof MalformedBody) throw new ServiceError("invalid", error.message);
      throw error;
    }
  };
  const { batch, nowMs } = await readBySkewCheckedTime(ctx, readAt);
  const { receiptId, refused } = await store(ctx, batch, (whole) => readAt(nowMs, whole));
  const reasons = [...batch.rejections.map(({ reason }) => reason), ...(refused > 0 ? [TRACE_DELETED] : [])];
  return {
    receiptId,
    rejected: batch.rejections.length + refused,
    reasons: [...new Set(reasons)].slice(0, REASONS_MAX),
  };
}

/**
 * Reads with this process's clock, and when items are rejected again with the database's: they may only seem to be in the
 * future because this clock is behind. Only rejections are worth the extra round trip.
 */
async function readBySkewCheckedTime<Batch extends PreparedTraces | PreparedLogs>(
  ctx: Ctx,
  read: (nowMs: number) => Batch,
): Promise<{ batch: Batch; nowMs: number }> {
  const ownTime = Date.now();
  const batch = read(ownTime);
  if (batch.rejections.length === 0) return { batch, nowMs: ownTime };
  const time = await databaseNow(ctx.db);
  return time - ownTime > MAX_CLOCK_SKEW_MS ? { batch: read(time), nowMs: time } : { batch, nowMs: ownTime };
}
