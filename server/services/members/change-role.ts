import { auditNote } from "@/server/platform/audit";
import { verb } from "@/server/platform/verb";
import { readMember } from "./list-members";
import { lockMembers, requireOtherOwner, roleOf, setRole } from "./owners";
import { requireMayGrant } from "./require-may-grant";
import { changeRoleInput, memberReply } from "./schemas";

export const changeRole = verb(
  {
    name: "members.changeRole",
    summary: "Change a member's role. It takes effect with their next request.",
    description:
      "The last owner's role cannot be changed (409). Links that a former owner created stop working. A key cannot grant a role with more capabilities than its own (403).",
    capability: "project:admin",
    effect: "write",
    input: changeRoleInput,
    reply: memberReply,
  },
  async (ctx, { userId, role }) => {
    await requireMayGrant(ctx, role);
    await lockMembers(ctx);
    const before = await roleOf(ctx, userId);
    if (role !== "owner") await requireOtherOwner(ctx, userId, before);
    await setRole(ctx, userId, role);
    auditNote(ctx, { target: { type: "user", id: userId }, before: { role: before }, after: { role } });
    return { member: await readMember(ctx, userId) };
  },
);
