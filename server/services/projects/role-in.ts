import { and, eq } from "drizzle-orm";
import type { Db } from "@/db/client";
import { memberships } from "@/db/schema";
import type { Role } from "@/server/platform/capabilities";

/** What this person is in that project; `undefined` when they do not belong to it or it does not exist. */
export async function roleIn(db: Db, of: { projectId: string; userId: string }): Promise<Role | undefined> {
  const [membership] = await db
    .select({ role: memberships.role })
    .from(memberships)
    .where(and(eq(memberships.projectId, of.projectId), eq(memberships.userId, of.userId)));
  return membership?.role;
}
