import { createBulkhead, emptyBulkhead } from "@/server/platform/database/bulkhead";
import { ServiceError } from "@/server/platform/errors";

/** On whose behalf a password is hashed. Queued callers are served round-robin by network. */
export type HashingCaller = { kind: "known" | "stranger"; network: string };
/** A caller with a session, a one-time link or the command line. */
export const AUTHENTICATED: HashingCaller = { kind: "known", network: "proved" };

/** A hash takes 19 MiB and one of Node's four threads for tens of milliseconds. */
const AT_ONCE = 2;
const LONGEST_WAIT_MS = 5_000;
const WAITING_OF_NETWORK = 10;
const WAITING = 100;
const RETRY_AFTER_SECONDS = 5;

const slots = () =>
  createBulkhead(emptyBulkhead(AT_ONCE), { maxWaitMs: LONGEST_WAIT_MS, maxQueued: WAITING_OF_NETWORK });
/** Separate bulkheads: a flood of strangers cannot crowd out people on familiar networks and holders of links. */
const lanes = { known: { slots: slots(), inside: 0 }, stranger: { slots: slots(), inside: 0 } };

const busy = () =>
  new ServiceError("unavailable", "Too many people are signing in right now. Try again in a few seconds.", {
    retryAfter: RETRY_AFTER_SECONDS,
  });

/**
 * Runs a hash within the concurrency limit of this process. Up to `WAITING` callers queue; throws `unavailable` for the
 * rest, and after the longest wait.
 */
export async function withHashingSlot<T>({ kind, network }: HashingCaller, work: () => Promise<T>): Promise<T> {
  const lane = lanes[kind];
  if (lane.inside >= AT_ONCE + WAITING) throw busy();
  lane.inside += 1;
  try {
    return await lane.slots.run(network, work);
  } catch (error) {
    // Hashing itself throws no `ServiceError`: this one comes from the full bulkhead.
    throw error instanceof ServiceError ? busy() : error;
  } finally {
    lane.inside -= 1;
  }
}
