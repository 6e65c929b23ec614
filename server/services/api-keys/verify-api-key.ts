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
const KEYS_CACHED = 10_000;

/** A key as it was read, and when: by the database's clock, and by our monotonic clock. */
type Stored = { key: typeof apiKeys.$inferSelect; readAt: number; monotonic: number };

/** Caches promises, so that a burst of requests with one key runs one query. */
const remembered = new LRUCache<string, Promise<Stored | undefined>>({ max: KEYS_CACHED, ttl: KEY_CACHE_MS });

export const evictCachedKey = (id: string) => void remembered.delete(id);

function storedKey(db: Db, id: string): Promise<Stored | undefined> {
  const known = remembered.get(id);
  if (known) return known;
  const monotonic = performance.now();
  const reading = db
    .select({ key: apiKeys, readAt: NOW })
    .from(apiKeys)
    .where(eq(apiKeys.id, id))
    .then(([row]) => row && { key: row.key, readAt: Number(row.readAt), monotonic });
  // The age counts from before the query, so that it is never underestimated.
  remembered.set(id, reading);
  reading.catch(() => remembered.delete(id));
  return reading;
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
