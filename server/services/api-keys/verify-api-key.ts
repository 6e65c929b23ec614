import { eq } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { apiKeys } from "@/db/schema";
import { knownCapabilities } from "@/server/platform/capabilities";
import type { Actor, ProjectId } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { hashOfKey, idOfKey, sameHash } from "./key-format";
import { recordKeyUse } from "./record-key-use";

/**
 * How long a process caches a key. A revoked key must stop working everywhere within five seconds; this leaves one second
 * for a slow query and for requests in progress.
 */
export const KEY_CACHE_MS = 4000;
/** An older key is still used, while it is read again. */
const KEY_FRESH_MS = 2000;
const KEYS_CACHED = 10_000;

/** A key as it was read, and when: by the database's clock, and by our monotonic clock. */
type Stored = { key: typeof apiKeys.$inferSelect; readAt: number; monotonic: number };

/** Caches promises, so that a burst of requests with one key runs one query. */
const remembered = new LRUCache<string, Promise<Stored | undefined>>({ max: KEYS_CACHED, ttl: KEY_CACHE_MS });

const refreshing = new Set<string>();

export const evictCachedKey = (id: string) => void remembered.delete(id);

function read(db: Db, id: string): Promise<Stored | undefined> {
  // The age counts from before the query, so that it is never underestimated.
  const monotonic = performance.now();
  return db
    .select({ key: apiKeys, readAt: NOW })
    .from(apiKeys)
    .where(eq(apiKeys.id, id))
    .then(([row]) => row && { key: row.key, readAt: Number(row.readAt), monotonic });
}

function storedKey(db: Db, id: string): Promise<Stored | undefined> {
  const known = remembered.get(id);
  if (known) {
    if (remembered.getRemainingTTL(id) < KEY_CACHE_MS - KEY_FRESH_MS) refresh(db, id, known);
    return known;
  }
  const reading = read(db, id);
  remembered.set(id, reading);
  reading.catch(() => remembered.delete(id));
  return reading;
}

/** Reads a key again while the known one is still used, so that no request of a busy key waits for a query. */
function refresh(db: Db, id: string, known: Promise<Stored | undefined>) {
  if (refreshing.has(id)) return;
  refreshing.add(id);
  const start = performance.now();
  const keep = (key: Stored | undefined) => {
    // One that was evicted meanwhile may have been revoked after this query.
    if (remembered.peek(id) === known) remembered.set(id, Promise.resolve(key), { start });
  };
  read(db, id)
    .then(keep, () => {})
    .finally(() => refreshing.delete(id));
}

// The same message for every reason, so that trying keys reveals nothing about them.
export const invalidKeyError = () =>
  new ServiceError("unauthenticated", "This API key is unknown, expired or revoked.");

/** Returns the key's project and actor. Throws `unauthenticated` for an invalid key; a mistyped one costs no query. */
export async function verifyApiKey(
  db: Db,
  key: string,
): Promise<{ projectId: ProjectId; actor: Extract<Actor, { kind: "apiKey" }> }> {
  const id = idOfKey(key);
  if (id === undefined) throw invalidKeyError();
  const known = await storedKey(db, id);
  const stored = known?.key;
  const matches = sameHash(stored?.hash ?? hashOfKey(""), hashOfKey(key));
  const now = known ? known.readAt + Math.ceil(performance.now() - known.monotonic) : 0;
  if (!stored || !matches || stored.revokedAt !== null || (stored.expiresAt !== null && stored.expiresAt <= now)) {
    throw invalidKeyError();
  }
  recordKeyUse(db, stored, now);
  return {
    projectId: stored.projectId as ProjectId,
    actor: { kind: "apiKey", keyId: stored.id, capabilities: knownCapabilities(stored.capabilities) },
  };
}
