import { and, eq, isNull, lt, or } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import type { Db } from "@/db/client";
import { apiKeys } from "@/db/schema";
import { logger } from "@/server/platform/logging/log";

/** Enough to tell whether a key is still in use. */
const RESOLUTION_MS = 60_000;

const recentlyRecorded = new LRUCache<string, true>({ max: 10_000, ttl: RESOLUTION_MS });

/**
 * Records the use of a key in the background, throttled to once a minute across all processes: a key used a thousand times
 * a second costs one small write, and a failed write affects no request.
 */
export function recordKeyUse(db: Db, key: { projectId: string; id: string; lastUsedAt: number | null }, now: number) {
  if (recentlyRecorded.has(key.id)) return;
  recentlyRecorded.set(key.id, true);
  if (key.lastUsedAt !== null && key.lastUsedAt > now - RESOLUTION_MS) return;
  const due = or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, now - RESOLUTION_MS));
  db.update(apiKeys)
    .set({ lastUsedAt: now })
    .where(and(eq(apiKeys.projectId, key.projectId), eq(apiKeys.id, key.id), due))
    .then(undefined, () => logger("api-keys").debug({ keyId: key.id }, "The last use of a key could not be recorded."));
}
