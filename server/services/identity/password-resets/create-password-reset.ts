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
    summary: "Make a one-time link by which a member sets a new password.",
    description:
      "The link is in this answer only and works for a day; where this installation sends e-mail, it is also mailed to the member. For somebody who also belongs to a project that the caller does not own, or who signs in through a provider, the link is mailed to them only (`token` and `link` are `null`), and refused (409) where no e-mail is sent: their password opens more than the caller's projects. A key makes no such links (403). Who made the link is told to the member when they sign in next.",
    capability: "project:admin",
    effect: "write",
    input: createPasswordResetInput,
    reply: passwordResetReply,
  },
  async (ctx, { userId }) => {
    requirePasswords();
    if (ctx.actor.kind !== "user") {
      throw new ServiceError("forbidden", "Links for passwords are made by owners who are signed in, not with a key.");
    }
    const { projectId } = ctx;
    if (!(await roleIn(ctx.db, { projectId, userId }))) throw notFound("The member");
    const ownerId = ctx.actor.userId;
    const why = await mailOnlyReason(ctx.db, { userId, projectId, ownerId });
    const mailedOnly = why !== null;
    if (mailedOnly && !mailEnabled()) {
      throw new ServiceError(
        "conflict",
        `This person ${why}: a link for their password may only be mailed to them, and this installation sends no e-mail. Ask whoever runs it for a link.`,
      );
    }
    const made = await issue(ctx.db, { userId, projectId, createdBy: ownerId, mailedOnly });
    auditNote(ctx, { target: { type: "user", id: userId }, after: { expiresAt: made.expiresAt, mailedOnly } });
    const mailedTo = await mailReset(ctx.db, { userId, projectId, makerId: ownerId, ...made });
    return mailedOnly ? { ...made, token: null, link: null, mailedTo } : { ...made, mailedTo };
  },
);
