import { and, eq, isNull, sql } from "drizzle-orm";
import { ADDRESS_COLUMNS } from "@/db/deletion-registry";
import { invitations, memberships, projects, users } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { InstallationCtx } from "@/server/platform/context";
import { ServiceError, unprocessable } from "@/server/platform/errors";
import { installationVerb } from "@/server/platform/verb";
import { settleKeysOf } from "@/server/services/api-keys";
import { revokeAllLinksOf } from "@/server/services/members";
import { lockPerson, refuseSelf, requireOtherInstallationOwner } from "./lock-person";
import { soleOwnerOf } from "./read-people";
import { erasedReply, eraseInput } from "./schemas";

/** Locks the projects that they own, so that no other owner can leave before the transaction ends. */
const lockOwnedProjects = (ctx: InstallationCtx, userId: string) =>
  ctx.db
    .select({ id: projects.id })
    .from(projects)
    .innerJoin(memberships, eq(memberships.projectId, projects.id))
    .where(and(eq(memberships.userId, userId), eq(memberships.role, "owner")))
    .orderBy(projects.id)
    .for("no key update", { of: projects });

async function refuseSoleOwner(ctx: InstallationCtx, userId: string) {
  const owned = await soleOwnerOf(ctx.db, userId);
  if (owned.length === 0) return;
  throw new ServiceError(
    "conflict",
    `They are the only owner of ${owned.map(({ name, id }) => `“${name}” (${id})`).join(", ")}: transfer ${owned.length === 1 ? "it" : "them"} first.`,
    { errors: owned.map(({ id, name }) => ({ path: "/userId", message: `The only owner of “${name}” (${id}).` })) },
  );
}

/** Deletes pending invitations for the address, and clears it wherever else it is stored. */
async function eraseAddress(ctx: InstallationCtx, email: string) {
  const theirs = eq(sql`lower(${invitations.email})`, sql`lower(${email})`);
  await ctx.db.delete(invitations).where(and(theirs, isNull(invitations.acceptedAt)));
  for (const { table, column } of ADDRESS_COLUMNS) {
    const address = sql.identifier(column);
    await ctx.db.execute(
      sql`update ${sql.identifier(table)} set ${address} = null where lower(${address}) = lower(${email})`,
    );
  }
}

export const erasePerson = installationVerb(
  {
    name: "people.erase",
    summary: "Erase a person: their account, sessions, memberships, and sign-in methods.",
    description:
      "`email` repeats their address as a confirmation (422 when it differs). Refused (409) for the only owner of a project (listed in the response) and for the installation's last owner. Audit logs keep their actions under the person's id; address, name and network are removed. API keys that they created stay, unless `revokeKeys` is set. This can't be undone; earlier backups contain the person until they expire.",
    right: "people:manage",
    effect: "write",
    input: eraseInput,
    reply: erasedReply,
  },
  async (ctx, { userId, email, revokeKeys }) => {
    refuseSelf(ctx, userId, "erase");
    const person = await lockPerson(ctx.db, userId);
    if (person.email.toLowerCase() !== email.toLowerCase())
      throw unprocessable("/email", "Type their address exactly as it is.");
    await requireOtherInstallationOwner(ctx.db, person);
    await lockOwnedProjects(ctx, userId);
    await refuseSoleOwner(ctx, userId);
    await revokeAllLinksOf(ctx.db, userId);
    const { revoked, left } = await settleKeysOf(ctx.db, { userId, projectId: null, revoke: revokeKeys });
    await eraseAddress(ctx, person.email);
    // The only permitted change to audit logs: the application's database role can make it through this function only.
    await ctx.db.execute(sql`select forget_person(${userId})`);
    await ctx.db.delete(users).where(eq(users.id, userId));
    auditNote(ctx, { target: { type: "user", id: userId }, before: null, after: { keysRevoked: revoked } });
    return { ok: true as const, keysRevoked: revoked.length, keysLeft: left };
  },
);
