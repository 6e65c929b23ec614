import { auditNote } from "@/server/platform/audit";
import { verb } from "@/server/platform/verb";
import { settleKeysOf } from "@/server/services/api-keys";
import { removeMembership } from "./owners";
import { removedReply, removeMemberInput } from "./schemas";

export const removeMember = verb(
  {
    name: "members.remove",
    summary: "Take a member out of the project. Their next request already finds no project here.",
    description:
      "The last owner stays (409). Invitations and reset links that they made stop working; API keys are the project's and stay, unless `revokeKeys` says that those they made go too: `keysLeft` is how many of these still work.",
    capability: "project:admin",
    effect: "write",
    input: removeMemberInput,
    reply: removedReply,
  },
  async (ctx, { userId, revokeKeys }) => {
    const role = await removeMembership(ctx, userId);
    const { revoked, left } = await settleKeysOf(ctx.db, { userId, projectId: ctx.projectId, revoke: revokeKeys });
    const target = { type: "user", id: userId };
    auditNote(ctx, { target, before: { role }, after: revoked.length > 0 ? { keysRevoked: revoked } : null });
    return { ok: true as const, keysRevoked: revoked.length, keysLeft: left };
  },
);
