import { and, eq, gt, isNull } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { passwordResets, users } from "@/db/schema";
import { recordAudit } from "@/server/platform/audit";
import type { RequestInfo } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { roleIn } from "@/server/services/projects";
import { setPassword } from "../change-password";
import { recordSignInNetwork } from "../familiar-networks";
import { hashOfToken } from "../one-time-link";
import { requirePasswords } from "../passwords-enabled";
import { resetPasswordInput } from "../schemas";
import type { Issue } from "./issue";
import { mailOnlyReason } from "./mail-only-reason";

/** Whether the owner who created the link could still create it for this person. */
async function creatorMayStillIssue(
  db: Db,
  link: Pick<Issue, "mailedOnly"> & { userId: string; projectId: string; ownerId: string },
) {
  const { userId, projectId, ownerId, mailedOnly } = link;
  if ((await roleIn(db, { projectId, userId: ownerId })) !== "owner") return false;
  return mailedOnly || (await mailOnlyReason(db, { userId, projectId, ownerId })) === null;
}

/** Returns whose password a link sets; `null` for a link that does not work. */
export async function findPasswordReset(db: Db, token: string) {
  const [found] = await db
    .select({
      userId: users.id,
      email: users.email,
      projectId: passwordResets.projectId,
      makerId: passwordResets.createdBy,
      mailedOnly: passwordResets.mailedOnly,
    })
    .from(passwordResets)
    .innerJoin(users, eq(users.id, passwordResets.userId))
    .where(
      and(
        eq(passwordResets.hash, hashOfToken(token)),
        isNull(passwordResets.usedAt),
        gt(passwordResets.expiresAt, NOW),
        isNull(users.disabledAt),
      ),
    );
  if (!found) return null;
  const { userId, email, projectId, makerId, mailedOnly } = found;
  if (projectId !== null) {
    // A project link without a creator was made with an API key by an earlier version.
    if (makerId === null || !(await creatorMayStillIssue(db, { userId, projectId, ownerId: makerId, mailedOnly })))
      return null;
  }
  return { userId, email, makerId };
}

/** Uses a link to set the password, and revokes all of the person's sessions. Throws `forbidden` for a dead link. */
export async function resetPassword(db: Db, given: unknown, request?: RequestInfo) {
  requirePasswords();
  const { token, password } = resetPasswordInput.parse(given);
  return db.transaction(async (tx) => {
    const found = await findPasswordReset(tx, token);
    const [used] = found
      ? await tx
          .update(passwordResets)
          .set({ usedAt: NOW })
          .where(and(eq(passwordResets.hash, hashOfToken(token)), isNull(passwordResets.usedAt)))
          .returning({ hash: passwordResets.hash })
      : [];
    if (!found || !used) {
      throw new ServiceError("forbidden", "This link has already been used or has expired. Ask for a new one.");
    }
    const { userId, makerId } = found;
    const ended = await setPassword(tx, { userId, password });
    const byAnother = makerId !== userId;
    // The holder of the link can sign in from this network, even while strangers exhaust the limits.
    await recordSignInNetwork(tx, { userId, address: request?.address });
    // Shown at the next sign-in, whoever used the link.
    if (byAnother) {
      await tx.update(users).set({ passwordResetAt: NOW, passwordResetBy: makerId }).where(eq(users.id, userId));
    }
    await recordAudit(tx, {
      action: "account.resetPassword",
      projectId: null,
      actor: { kind: "user", id: userId },
      target: { type: "user", id: userId },
      after: { sessionsEnded: ended, ...(byAnother ? { linkMadeBy: makerId ?? "the operator" } : {}) },
      request,
    });
    return { email: found.email };
  });
}
