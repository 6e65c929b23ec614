import { auditNote } from "@/server/platform/audit";
import { verb } from "@/server/platform/verb";
import { settleKeysOf } from "@/server/services/api-keys";
import { removeMembership } from "./owners";
import { removedReply, removeMemberInput } from "./schemas";

export const removeMember = verb(
  {
    name: "members.remove",
    summary: "Remove a member from the project. It takes effect with their next request.",
    description:
      "The last owner cannot be removed (409). Invitations and reset links that the member created stop working. API keys belong to the project and stay, unless `revokeKeys` revokes those that the member created; `keysLeft` is the number of these that still work.",
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
