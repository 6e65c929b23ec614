import { and, eq, isNull, lt, or } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import type { Db } from "@/db/client";
import { apiKeys } from "@/db/schema";
import { logger } from "@/server/platform/log";

/** People ask whether a key is still in use, not for the second of its last use. */
const RESOLUTION_MS = 60_000;

const noted = new LRUCache<string, true>({ max: 10_000, ttl: RESOLUTION_MS });

/**
 * Writes down that a key was used, at most once a minute over all processes and off the request's path: a key that is
 * used a thousand times a second costs one small write, and a failed one costs nothing.
 */
export function recordKeyUse(db: Db, key: { projectId: string; id: string; lastUsedAt: number | null }, now: number) {
  if (noted.has(key.id)) return;
  noted.set(key.id, true);
  if (key.lastUsedAt !== null && key.lastUsedAt > now - RESOLUTION_MS) return;
  const due = or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, now - RESOLUTION_MS));
  db.update(apiKeys)
    .set({ lastUsedAt: now })
    .where(and(eq(apiKeys.projectId, key.projectId), eq(apiKeys.id, key.id), due))
    .then(undefined, () => logger("api-keys").debug({ keyId: key.id }, "The use of a key could not be noted."));
}
