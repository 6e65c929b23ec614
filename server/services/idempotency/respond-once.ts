import type { Ctx } from "@/server/platform/context";
import { transact } from "@/server/platform/database/transact";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import {
  claimKey,
  type KeyedRequest,
  LEASE_MS,
  releaseClaim,
  renewClaim,
  type StoredResponse,
  storeResponse,
} from "./keys";
import { sweepKeysPeriodically } from "./sweep";

/** Transient failures: a retry may succeed, so their response is not stored. */
const isTransient = (status: number) => status >= 500 || status === 429;

type Work = {
  /** Runs the phase before the transaction, and returns the phase that runs inside it. */
  begin: (ctx: Ctx) => Promise<(ctx: Ctx) => Promise<{ response: StoredResponse; after: () => Promise<void> }>>;
  /** Converts an error to its response. */
  failed: (error: unknown) => Promise<StoredResponse>;
};

/**
 * Processes a request at most once. Its effect and its response commit together, so retries and crashes at any point
 * cannot repeat the effect, and every retry gets the same response.
 */
export async function respondOnce(
  ctx: Ctx,
  request: KeyedRequest,
  { begin, failed }: Work,
): Promise<{ response: StoredResponse; replayed: boolean }> {
  sweepKeysPeriodically(ctx.db);
  const found = await claimKey(ctx, request);
  if ("response" in found) return { response: found.response, replayed: true };
  const { claim } = found;
  const renewing = setInterval(() => void renewClaim(ctx.db, claim).catch(() => {}), LEASE_MS / 3);
  renewing.unref();
  try {
    const run = await begin(ctx);
    const { response, after } = await transact(ctx.db, async (tx) => {
      const done = await run({ ...ctx, db: tx });
      await storeResponse(tx, claim, done.response);
      return done;
    });
    await after();
    return { response, replayed: false };
  } catch (error) {
    const response = await failed(error);
    await (isTransient(response.status) ? releaseClaim(ctx.db, claim) : storeResponse(ctx.db, claim, response)).catch(
      (cause: unknown) =>
        logger("idempotency").warn(
          { err: loggable(cause) },
          "An idempotency key could not be released and stays claimed until its lease expires.",
        ),
    );
    return { response, replayed: false };
  } finally {
    clearInterval(renewing);
  }
}
