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
    summary: "Make a member the owner in one's own place: one becomes a manager, in the same step.",
    description:
      "A signed-in owner hands over their own role. A key has to say whose, as `fromUserId`, and to hold every capability itself (403).",
    capability: "project:admin",
    effect: "write",
    input: transferOwnershipInput,
    reply: memberReply,
  },
  async (ctx, { userId, fromUserId }) => {
    const from = fromUserId ?? (ctx.actor.kind === "user" ? ctx.actor.userId : undefined);
    if (from === undefined) throw unprocessable("/fromUserId", "A key has to say which owner hands over.");
    await requireMayGrant(ctx, "owner");
    if (from === userId) throw new ServiceError("conflict", "Nobody can hand over to themselves.");
    await lockMembers(ctx);
    const [theirs, own] = [await roleOf(ctx, userId), await roleOf(ctx, from)];
    if (own !== "owner") throw new ServiceError("conflict", "Only an owner can hand the project over.");
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
