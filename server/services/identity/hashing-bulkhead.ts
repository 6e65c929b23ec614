import { createPlaces, vacant } from "@/server/platform/database/places";
import { ServiceError } from "@/server/platform/errors";

/** For whom a password is hashed: of strangers, each network has its turn. */
export type HashingCaller = { kind: "known" | "stranger"; network: string };
/** Somebody with a session, a one-time link or the command line. */
export const AUTHENTICATED: HashingCaller = { kind: "known", network: "proved" };

/** A hash takes 19 MiB and a thread of Node's four for tens of milliseconds. */
const AT_ONCE = 2;
const LONGEST_WAIT_MS = 5_000;
const WAITING_OF_NETWORK = 10;
const WAITING = 100;
const RETRY_AFTER_SECONDS = 5;

const places = () => createPlaces(vacant(AT_ONCE), { longestWaitMs: LONGEST_WAIT_MS, mostWaiting: WAITING_OF_NETWORK });
/** However many strangers come, people from familiar networks and holders of links have places of their own. */
const lanes = { known: { places: places(), inside: 0 }, stranger: { places: places(), inside: 0 } };

const busy = () =>
  new ServiceError("unavailable", "Many people sign in at this moment. Try again in a few seconds.", {
    retryAfter: RETRY_AFTER_SECONDS,
  });

/** Hashes when there is a place for it: a few at once in this process, some more wait, others are refused at once. */
export async function withHashingSlot<T>({ kind, network }: HashingCaller, work: () => Promise<T>): Promise<T> {
  const lane = lanes[kind];
  if (lane.inside >= AT_ONCE + WAITING) throw busy();
  lane.inside += 1;
  try {
    return await lane.places.hold(network, work);
  } catch (error) {
    // Hashing itself knows none of these: there was no place.
    throw error instanceof ServiceError ? busy() : error;
  } finally {
    lane.inside -= 1;
  }
}
