import { auditNote } from "@/server/platform/audit";
import { notFound, ServiceError } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { mailEnabled } from "@/server/services/mail";
import { roleIn } from "@/server/services/projects";
import { requirePasswords } from "../passwords-enabled";
import { createPasswordResetInput, passwordResetReply } from "../schemas";
import { issue } from "./issue";
import { mailOnlyReason } from "./mail-only-reason";
import { mailReset } from "./mail-reset";

export const createPasswordReset = verb(
  {
    name: "members.createPasswordReset",
    summary: "Create a one-time link for a member to set a new password.",
    description:
      "The link is returned in this response only and works for a day; if this installation sends e-mail, it is also mailed to the member. For a member who also belongs to a project that the caller does not own, or who signs in through a provider, the link is only mailed to them (`token` and `link` are `null`), and refused (409) if no e-mail is sent, because their password grants access to more than the caller's projects. API keys cannot create such links (403). At their next sign-in, the member sees who created the link.",
    capability: "project:admin",
    effect: "write",
    input: createPasswordResetInput,
    reply: passwordResetReply,
  },
  async (ctx, { userId }) => {
    requirePasswords();
    if (ctx.actor.kind !== "user") {
      throw new ServiceError("forbidden", "Only a signed-in owner can create a password link, not an API key.");
    }
    const { projectId } = ctx;
    if (!(await roleIn(ctx.db, { projectId, userId }))) throw notFound("The member");
    const ownerId = ctx.actor.userId;
    const why = await mailOnlyReason(ctx.db, { userId, projectId, ownerId });
    const mailedOnly = why !== null;
    if (mailedOnly && !mailEnabled()) {
      throw new ServiceError(
        "conflict",
        `This person ${why}: a link for their password can only be e-mailed to them, and this installation sends no e-mail. Ask its operator for a link.`,
      );
    }
    const made = await issue(ctx.db, { userId, projectId, createdBy: ownerId, mailedOnly });
    auditNote(ctx, { target: { type: "user", id: userId }, after: { expiresAt: made.expiresAt, mailedOnly } });
    const mailedTo = await mailReset(ctx.db, { userId, projectId, makerId: ownerId, ...made });
    return mailedOnly ? { ...made, token: null, link: null, mailedTo } : { ...made, mailedTo };
  },
);
