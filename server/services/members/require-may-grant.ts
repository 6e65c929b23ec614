import { and, arrayContains, eq, exists, isNull, or } from "drizzle-orm";
import type { Db } from "@/db/client";
import { apiKeys, invitations, memberships, users } from "@/db/schema";
import { ROLE_CAPABILITIES, ROLES, type Role } from "@/server/platform/capabilities";
import { type Ctx, requireGrantable } from "@/server/platform/context";
import { isActiveKey, lockOwnKey } from "@/server/services/api-keys";

/**
 * Refuses to give a role that may do more than the caller, be it a key: one that could would make itself an owner. Returns
 * when the caller's key ends (Unix ms), and so what it gives away.
 */
export function requireMayGrant(ctx: Ctx, role: Role) {
  requireGrantable(ctx, ROLE_CAPABILITIES[role]);
  return lockOwnKey(ctx);
}

/**
 * Whether the maker of an invitation could still make it: an owner who is one, a key that lives and holds what the role may
 * do. Nobody's (`null`) is the operator's.
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
