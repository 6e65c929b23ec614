import { and, eq, inArray, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { apiKeys } from "@/db/schema";
import type { ProjectId } from "@/server/platform/context";
import { isActiveKey } from "./lock-own-key";
import { revokeKeyTree } from "./revoke-key-tree";

/** Condition on the active keys that a person created, in one project or (`null`) in all. */
const activeKeysOf = (userId: string, projectId: string | null) =>
  and(eq(apiKeys.createdBy, userId), projectId === null ? undefined : eq(apiKeys.projectId, projectId), isActiveKey);

/**
 * Revokes the active keys that a departing person created, if `revoke` is set. Returns the ids of the revoked keys and the
 * number that is still active.
 */
export async function settleKeysOf(
  db: Db,
  { userId, projectId, revoke }: { userId: string; projectId: string | null; revoke: boolean },
): Promise<{ revoked: string[]; left: number }> {
  const revoked = revoke ? await revokeKeysOf(db, userId, projectId) : [];
  return { revoked, left: await countKeysOf(db, userId, projectId) };
}

/** Returns how many active keys a person created: their creator may still know the secrets. */
export const countKeysOf = (db: Db, userId: string, projectId: string | null): Promise<number> =>
  db.$count(apiKeys, activeKeysOf(userId, projectId));

/** Revokes the keys that a person created, with their descendants, in one project or (`null`) in all. Returns their ids. */
async function revokeKeysOf(db: Db, userId: string, projectId: string | null): Promise<string[]> {
  const keys = await db
    .select({ id: apiKeys.id, projectId: apiKeys.projectId })
    .from(apiKeys)
    .where(activeKeysOf(userId, projectId))
    .orderBy(apiKeys.projectId, apiKeys.id);
  for (const key of keys) await revokeKeyTree({ db, projectId: key.projectId as ProjectId }, key.id);
  return keys.map(({ id }) => id);
}

/** Returns how many active keys in the project each of these people created. */
export async function countKeysByMaker(db: Db, projectId: string, userIds: readonly string[]) {
  if (userIds.length === 0) return new Map<string, number>();
  const counted = await db
    .select({ userId: apiKeys.createdBy, count: sql<number>`count(*)::int` })
    .from(apiKeys)
    .where(and(eq(apiKeys.projectId, projectId), inArray(apiKeys.createdBy, [...userIds]), isActiveKey))
    .groupBy(apiKeys.createdBy);
  return new Map(counted.map(({ userId, count }) => [userId ?? "", count]));
}
