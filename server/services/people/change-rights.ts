import { eq } from "drizzle-orm";
import { users } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { installationVerb } from "@/server/platform/verb";
import { lockPerson, requireOtherInstallationOwner } from "./lock-person";
import { readPerson } from "./read-people";
import { changeRightsInput, personReply } from "./schemas";

export const changeRights = installationVerb(
  {
    name: "people.changeRights",
    summary: "Grant or revoke the right to create projects, or ownership of the installation.",
    description:
      "An owner of the installation manages its people and may create projects. The last owner cannot be removed (409).",
    right: "people:manage",
    effect: "write",
    input: changeRightsInput,
    reply: personReply,
  },
  async (ctx, { userId, ...input }) => {
    const { installationOwner, mayCreateProjects, ...before } = await lockPerson(ctx.db, userId);
    if (input.installationOwner === false)
      await requireOtherInstallationOwner(ctx.db, { id: before.id, installationOwner });
    const after = {
      installationOwner: input.installationOwner ?? installationOwner,
      mayCreateProjects: input.mayCreateProjects ?? mayCreateProjects,
    };
    await ctx.db.update(users).set(after).where(eq(users.id, userId));
    auditNote(ctx, { target: { type: "user", id: userId }, before: { installationOwner, mayCreateProjects }, after });
    return { person: await readPerson(ctx.db, userId) };
  },
);
