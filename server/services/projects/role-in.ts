import { and, eq } from "drizzle-orm";
import type { Db } from "@/db/client";
import { memberships } from "@/db/schema";
import type { Role } from "@/server/platform/capabilities";

/** Returns the person's role in the project; `undefined` when they are not a member or the project does not exist. */
export async function roleIn(db: Db, of: { projectId: string; userId: string }): Promise<Role | undefined> {
  const [membership] = await db
    .select({ role: memberships.role })
    .from(memberships)
    .where(and(eq(memberships.projectId, of.projectId), eq(memberships.userId, of.userId)));
  return membership?.role;
}
