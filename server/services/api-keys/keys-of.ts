import { and, eq, inArray, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { apiKeys } from "@/db/schema";
import type { ProjectId } from "@/server/platform/context";
import { isActiveKey } from "./lock-own-key";
import { revokeKeyTree } from "./revoke-key-tree";

/** The keys that somebody made and that still open something: of one project, or (`null`) of all. */
const working = (userId: string, projectId: string | null) =>
  and(eq(apiKeys.createdBy, userId), projectId === null ? undefined : eq(apiKeys.projectId, projectId), isActiveKey);

/**
 * Of the keys that a departing person made, ends those that work where `revoke` says so. Returns the ids of the ended and
 * how many still open something.
 */
export async function settleKeysOf(
  db: Db,
  { userId, projectId, revoke }: { userId: string; projectId: string | null; revoke: boolean },
): Promise<{ revoked: string[]; left: number }> {
  const revoked = revoke ? await revokeKeysOf(db, userId, projectId) : [];
  return { revoked, left: await countKeysOf(db, userId, projectId) };
}

/** Returns how many keys somebody made that still open something: whoever made one may know it. */
export const countKeysOf = (db: Db, userId: string, projectId: string | null): Promise<number> =>
  db.$count(apiKeys, working(userId, projectId));

/** Ends the keys that somebody made, with all that was made with them, in one project or (`null`) in all. Returns their ids. */
async function revokeKeysOf(db: Db, userId: string, projectId: string | null): Promise<string[]> {
  const keys = await db
    .select({ id: apiKeys.id, projectId: apiKeys.projectId })
    .from(apiKeys)
    .where(working(userId, projectId))
    .orderBy(apiKeys.projectId, apiKeys.id);
  for (const key of keys) await revokeKeyTree({ db, projectId: key.projectId as ProjectId }, key.id);
  return keys.map(({ id }) => id);
}

/** Returns how many keys each of these people made that still open something in the project. */
export async function countKeysByMaker(db: Db, projectId: string, userIds: readonly string[]) {
  if (userIds.length === 0) return new Map<string, number>();
  const counted = await db
    .select({ userId: apiKeys.createdBy, count: sql<number>`count(*)::int` })
    .from(apiKeys)
    .where(and(eq(apiKeys.projectId, projectId), inArray(apiKeys.createdBy, [...userIds]), isActiveKey))
    .groupBy(apiKeys.createdBy);
  return new Map(counted.map(({ userId, count }) => [userId ?? "", count]));
}
