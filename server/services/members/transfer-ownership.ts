import { auditNote } from "@/server/platform/audit";
import { ServiceError, unprocessable } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { readMember } from "./list-members";
import { lockMembers, roleOf, setRole } from "./owners";
import { requireMayGrant } from "./require-may-grant";
import { memberReply, transferOwnershipInput } from "./schemas";

export const transferOwnership = verb(
  {
    name: "members.transferOwnership",
    summary: "Transfer ownership to a member. The former owner becomes a manager.",
    description:
      "A signed-in owner transfers their own role. A key has to name the owner in `fromUserId` and needs every capability itself (403).",
    capability: "project:admin",
    effect: "write",
    input: transferOwnershipInput,
    reply: memberReply,
  },
  async (ctx, { userId, fromUserId }) => {
    const from = fromUserId ?? (ctx.actor.kind === "user" ? ctx.actor.userId : undefined);
    if (from === undefined)
      throw unprocessable("/fromUserId", "A key has to name the owner whose role is transferred.");
    await requireMayGrant(ctx, "owner");
    if (from === userId) throw new ServiceError("conflict", "Choose another member: this one already has the role.");
    await lockMembers(ctx);
    const [theirs, own] = [await roleOf(ctx, userId), await roleOf(ctx, from)];
    if (own !== "owner") throw new ServiceError("conflict", "Only an owner can transfer ownership.");
    await setRole(ctx, userId, "owner");
    await setRole(ctx, from, "manager");
    auditNote(ctx, {
      target: { type: "user", id: userId },
      before: { role: theirs, from: { userId: from, role: own } },
      after: { role: "owner", from: { userId: from, role: "manager" } },
    });
    return { member: await readMember(ctx, userId) };
  },
);
