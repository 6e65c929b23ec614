import { auditNote } from "@/server/platform/audit";
import { okReply } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { takeOut } from "./owners";
import { memberInput } from "./schemas";

export const removeMember = verb(
  {
    name: "members.remove",
    summary: "Take a member out of the project. Their next request already finds no project here.",
    description:
      "The last owner stays (409). Invitations and reset links that they made stop working; API keys are the project's and stay.",
    capability: "project:admin",
    effect: "write",
    input: memberInput,
    reply: okReply,
  },
  async (ctx, { userId }) => {
    const role = await takeOut(ctx, userId);
    auditNote(ctx, { target: { type: "user", id: userId }, before: { role }, after: null });
    return { ok: true as const };
  },
);
