import { and, eq, gt, inArray, isNull, or, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { apiKeys } from "@/db/schema";
import type { ProjectId } from "@/server/platform/context";
import { endKey } from "./end-key";

const opensSomething = and(isNull(apiKeys.revokedAt), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, NOW)));

/** The keys that somebody made and that still open something: of one project, or (`null`) of all. */
const working = (userId: string, projectId: string | null) =>
  and(eq(apiKeys.createdBy, userId), projectId === null ? undefined : eq(apiKeys.projectId, projectId), opensSomething);

/** Returns how many keys somebody made that still open something: whoever made one may know it. */
export const countKeysOf = (db: Db, userId: string, projectId: string | null): Promise<number> =>
  db.$count(apiKeys, working(userId, projectId));

/** Ends the keys that somebody made, with all that was made with them, in one project or (`null`) in all. Returns their ids. */
export async function revokeKeysOf(db: Db, userId: string, projectId: string | null): Promise<string[]> {
  const keys = await db
    .select({ id: apiKeys.id, projectId: apiKeys.projectId })
    .from(apiKeys)
    .where(working(userId, projectId))
    .orderBy(apiKeys.projectId, apiKeys.id);
  for (const key of keys) await endKey({ db, projectId: key.projectId as ProjectId }, key.id);
  return keys.map(({ id }) => id);
}

/** Returns how many keys each of these people made that still open something in the project. */
export async function countKeysByMaker(db: Db, projectId: string, userIds: readonly string[]) {
  if (userIds.length === 0) return new Map<string, number>();
  const counted = await db
    .select({ userId: apiKeys.createdBy, count: sql<number>`count(*)::int` })
    .from(apiKeys)
    .where(and(eq(apiKeys.projectId, projectId), inArray(apiKeys.createdBy, [...userIds]), opensSomething))
    .groupBy(apiKeys.createdBy);
  return new Map(counted.map(({ userId, count }) => [userId ?? "", count]));
}
