import { and, arrayContains, eq, exists, isNull, or } from "drizzle-orm";
import type { Db } from "@/db/client";
import { apiKeys, invitations, memberships, users } from "@/db/schema";
import { ROLE_CAPABILITIES, ROLES, type Role } from "@/server/platform/capabilities";
import { type Ctx, requireGrantable } from "@/server/platform/context";
import { isActiveKey, lockOwnKey } from "@/server/services/api-keys";

/**
 * Throws `forbidden` when the role has more capabilities than the caller; otherwise a key could make itself an owner.
 * Locks the caller's key and returns when it expires (Unix ms), as does whatever it grants.
 */
export function requireMayGrant(ctx: Ctx, role: Role) {
  requireGrantable(ctx, ROLE_CAPABILITIES[role]);
  return lockOwnKey(ctx);
}

/**
 * Condition on invitations that their creator could still create: a current owner, or an active key with all capabilities
 * of the role. Without a creator (`null`), the operator created it.
 */
export const issuerMayStillGrant = (db: Db) =>
  or(
    isNull(invitations.createdBy),
    exists(
      db
        .select({ userId: memberships.userId })
        .from(memberships)
        .innerJoin(users, eq(users.id, memberships.userId))
        .where(
          and(
            eq(memberships.projectId, invitations.projectId),
            eq(memberships.userId, invitations.createdBy),
            eq(memberships.role, "owner"),
            isNull(users.disabledAt),
          ),
        ),
    ),
    exists(
      db
        .select({ id: apiKeys.id })
        .from(apiKeys)
        .where(
          and(
            eq(apiKeys.projectId, invitations.projectId),
            eq(apiKeys.id, invitations.createdBy),
            isActiveKey,
            or(
              ...ROLES.map((role) =>
                and(eq(invitations.role, role), arrayContains(apiKeys.capabilities, [...ROLE_CAPABILITIES[role]])),
              ),
            ),
          ),
        ),
    ),
  );
