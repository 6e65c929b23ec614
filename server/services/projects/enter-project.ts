import { and, eq, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { memberships } from "@/db/schema";
import type { Role } from "@/server/platform/capabilities";
import { MINUTE_MS } from "@/server/platform/durations";

/** The time of a visit is not worth a write per request. */
const VISIT_RESOLUTION_MS = MINUTE_MS;
/** Coming back within this time counts as the same visit: what was new stays new. */
const SAME_VISIT_MS = 30 * MINUTE_MS;

const longerThan = (ms: number) => sql<boolean>`coalesce(${memberships.visitedAt}, 0) < ${NOW} - ${ms}::bigint`;
const isDue = longerThan(VISIT_RESOLUTION_MS);

/**
 * Returns the person's role in the project that they are using, and records their visit; `undefined` when they are not a member
 * or the project does not exist.
 */
export async function enterProject(db: Db, of: { projectId: string; userId: string }): Promise<Role | undefined> {
  const theirs = and(eq(memberships.projectId, of.projectId), eq(memberships.userId, of.userId));
  const [membership] = await db.select({ role: memberships.role, isDue }).from(memberships).where(theirs);
  if (membership?.isDue) {
    await db
      .update(memberships)
      .set({
        visitedAt: NOW,
        visitedBeforeAt: sql`case when ${longerThan(SAME_VISIT_MS)} then ${memberships.visitedAt} else ${memberships.visitedBeforeAt} end`,
      })
      .where(and(theirs, isDue));
  }
  return membership?.role;
}
