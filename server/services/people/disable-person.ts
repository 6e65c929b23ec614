import { eq } from "drizzle-orm";
import { NOW } from "@/db/now";
import { users } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { installationVerb } from "@/server/platform/verb";
import { settleKeysOf } from "@/server/services/api-keys";
import { endSessions } from "@/server/services/identity";
import { revokeAllLinksOf } from "@/server/services/members";
import { lockPerson, refuseSelf, requireOtherInstallationOwner } from "./lock-person";
import { readPerson } from "./read-people";
import { disabledReply, disableInput, personInput, personReply } from "./schemas";

export const disablePerson = installationVerb(
  {
    name: "people.disable",
    summary: "Disable an account: its browsers are signed out immediately, and nobody can sign in to it.",
    description:
      "Its projects and their data stay. Invitations and password links that the person created stop working. API keys that they created stay, unless `revokeKeys` is set; `keysLeft` is the number of keys that still work. The installation's last owner cannot be disabled (409).",
    right: "people:manage",
    effect: "write",
    input: disableInput,
    reply: disabledReply,
  },
  async (ctx, { userId, revokeKeys }) => {
    refuseSelf(ctx, userId, "disable");
    const before = await lockPerson(ctx.db, userId);
    await requireOtherInstallationOwner(ctx.db, before);
    if (before.disabledAt === null) await ctx.db.update(users).set({ disabledAt: NOW }).where(eq(users.id, userId));
    const sessionsEnded = await endSessions(ctx.db, userId);
    await revokeAllLinksOf(ctx.db, userId);
    const { revoked, left } = await settleKeysOf(ctx.db, { userId, projectId: null, revoke: revokeKeys });
    const person = await readPerson(ctx.db, userId);
    auditNote(ctx, {
      target: { type: "user", id: userId },
      before: { disabledAt: before.disabledAt },
      after: { disabledAt: person.disabledAt, sessionsEnded, keysRevoked: revoked },
    });
    return { person, sessionsEnded, keysRevoked: revoked.length, keysLeft: left };
  },
);

export const enablePerson = installationVerb(
  {
    name: "people.enable",
    summary: "Enable a disabled account.",
    description: "The person has to sign in again; revoked keys and links stay revoked.",
    right: "people:manage",
    effect: "write",
    input: personInput,
    reply: personReply,
  },
  async (ctx, { userId }) => {
    const before = await lockPerson(ctx.db, userId);
    await ctx.db.update(users).set({ disabledAt: null }).where(eq(users.id, userId));
    auditNote(ctx, {
      target: { type: "user", id: userId },
      before: { disabledAt: before.disabledAt },
      after: { disabledAt: null },
    });
    return { person: await readPerson(ctx.db, userId) };
  },
);
