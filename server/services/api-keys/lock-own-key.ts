import { and, eq, gt, isNull, or } from "drizzle-orm";
import { NOW } from "@/db/now";
import { apiKeys } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { invalidKeyError } from "./verify-api-key";

/** Whether a key still opens its project, by the database's clock. */
export const isActiveKey = and(isNull(apiKeys.revokedAt), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, NOW)));

/**
 * Refuses a key that was ended a moment ago, and keeps anybody from ending it until the caller's transaction is over:
 * whoever then ends it sees all that was made with it. Returns when the key ends (Unix ms); `null` for one that does not
 * expire, and for callers who are no key.
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
