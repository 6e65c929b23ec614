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
 * For how long a process may believe what it read. A revoked key must stop within five seconds everywhere; this leaves
 * one for a slow query and for the request that is already under way.
 */
export const KEY_CACHE_MS = 4000;
const KEYS_REMEMBERED = 10_000;

/** As it was read, and when: by the database's clock, and by one of ours that cannot jump. */
type Stored = { key: typeof apiKeys.$inferSelect; readAt: number; monotonic: number };

/** Reads in flight are shared: a burst of requests with one key asks the database once. */
const remembered = new LRUCache<string, Promise<Stored | undefined>>({ max: KEYS_REMEMBERED, ttl: KEY_CACHE_MS });

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
  // Its age counts from before the query: what the query saw is at least that fresh.
  remembered.set(id, reading);
  reading.catch(() => remembered.delete(id));
  return reading;
}

// One sentence for every reason: whoever tries keys learns nothing about them.
export const invalidKeyError = () =>
  new ServiceError("unauthenticated", "This API key is unknown, expired or revoked.");

/** Who holds this key and in which project. Mistyped keys are refused without asking the database. */
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
