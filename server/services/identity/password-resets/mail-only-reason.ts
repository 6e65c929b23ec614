import { and, eq, exists, ne, not } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Db } from "@/db/client";
import { identities, memberships } from "@/db/schema";
import { rightsOf } from "@/server/platform/installation-rights";

/**
 * Whether the person belongs to a project that the issuer does not own. A password grants access to all of a person's
 * projects, and the owner of one must not get into the others by resetting it.
 */
async function belongsElsewhere(db: Db, of: { userId: string; projectId: string; ownerId: string | null }) {
  const owned = alias(memberships, "owned");
  const alsoOwned = db
    .select({ projectId: owned.projectId })
    .from(owned)
    .where(
      and(eq(owned.projectId, memberships.projectId), eq(owned.userId, of.ownerId ?? ""), eq(owned.role, "owner")),
    );
  const [elsewhere] = await db
    .select({ projectId: memberships.projectId })
    .from(memberships)
    .where(and(eq(memberships.userId, of.userId), ne(memberships.projectId, of.projectId), not(exists(alsoOwned))))
    .limit(1);
  return elsewhere !== undefined;
}

/**
 * Returns why an owner must not see a link for this person's password: it grants access to more than the owner's own
 * projects. `null` when it does not.
 */
export async function mailOnlyReason(db: Db, of: { userId: string; projectId: string; ownerId: string | null }) {
  if (await belongsElsewhere(db, of)) return "also belongs to a project that you do not own";
  const [identity] = await db
    .select({ userId: identities.userId })
    .from(identities)
    .where(eq(identities.userId, of.userId))
    .limit(1);
  if (identity) return "signs in through a provider";
  const [theirs, own] = [await rightsOf(db, of.userId), await rightsOf(db, of.ownerId ?? "")];
  return theirs.some((right) => !own.includes(right)) ? "has rights in this installation that you do not have" : null;
}
