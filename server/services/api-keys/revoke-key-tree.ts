import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { apiKeys, invitations } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { evictCachedKey } from "./verify-api-key";

type In = Pick<Ctx, "db" | "projectId">;

/**
 * Revokes a key with everything created with it: its descendant keys, and their pending invitations. Goes generation by
 * generation, since the creation of a key locks the key that creates it. Returns how many of each it revoked besides the
 * key.
 */
export async function revokeKeyTree({ db, projectId }: In, keyId: string) {
  const ended: string[] = [];
  let keys = 0;
  for (let generation = [keyId]; generation.length > 0; ) {
    await db
      .update(apiKeys)
      .set({ revokedAt: sql`coalesce(${apiKeys.revokedAt}, ${NOW})` })
      .where(and(eq(apiKeys.projectId, projectId), inArray(apiKeys.id, generation)));
    ended.push(...generation);
    const made = await db
      .select({ id: apiKeys.id, revokedAt: apiKeys.revokedAt })
      .from(apiKeys)
      .where(and(eq(apiKeys.projectId, projectId), inArray(apiKeys.createdBy, generation)));
    keys += made.filter(({ revokedAt }) => revokedAt === null).length;
    generation = made.map(({ id }) => id);
  }
  const links = await db
    .update(invitations)
    .set({ revokedAt: NOW })
    .where(
      and(
        eq(invitations.projectId, projectId),
        inArray(invitations.createdBy, ended),
        isNull(invitations.acceptedAt),
        isNull(invitations.revokedAt),
      ),
    )
    .returning({ id: invitations.id });
  for (const id of ended) evictCachedKey(id);
  return { keys, invitations: links.length };
}
