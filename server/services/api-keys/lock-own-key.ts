import { and, eq, gt, isNull, or } from "drizzle-orm";
import { NOW } from "@/db/now";
import { apiKeys } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { invalidKeyError } from "./verify-api-key";

/** Condition on keys that are neither revoked nor expired, by the database's clock. */
export const isActiveKey = and(isNull(apiKeys.revokedAt), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, NOW)));

/**
 * Locks the caller's key against revocation until the end of the transaction, so that a revocation sees everything created
 * with the key. Returns when the key expires (Unix ms), `null` for one that does not and for callers without a key. Throws
 * `unauthenticated` when the key has just been revoked.
 */
export async function lockOwnKey({ db, projectId, actor }: Ctx): Promise<{ endsAt: number | null }> {
  if (actor.kind !== "apiKey") return { endsAt: null };
  const [own] = await db
    .select({ endsAt: apiKeys.expiresAt })
    .from(apiKeys)
    .where(and(eq(apiKeys.projectId, projectId), eq(apiKeys.id, actor.keyId), isActiveKey))
    .for("share");
  if (!own) throw invalidKeyError();
  return own;
}
