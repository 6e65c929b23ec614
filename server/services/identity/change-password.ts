import { and, eq, isNull, ne } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { passwordResets, sessions, users } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { ServiceError } from "@/server/platform/errors";
import { accountVerb } from "@/server/platform/verb";
import { getMe } from "./get-me";
import { hashPassword } from "./password";
import { requirePasswords } from "./passwords-enabled";
import { changePasswordInput, endedReply } from "./schemas";
import { verifyPassword } from "./verify-password";

/**
 * Sets a password and revokes the person's sessions, except `keep`, and their unused reset links: whoever has one could set the
 * password again. Returns the number of revoked sessions.
 */
export async function setPassword(
  db: Db,
  { userId, password, keep }: { userId: string; password: string; keep?: string | undefined },
) {
  await db
    .update(users)
    .set({ passwordHash: await hashPassword(password) })
    .where(eq(users.id, userId));
  await db.delete(passwordResets).where(and(eq(passwordResets.userId, userId), isNull(passwordResets.usedAt)));
  return endSessions(db, userId, keep);
}

export async function endSessions(db: Db, userId: string, keep?: string) {
  const ended = await db
    .update(sessions)
    .set({ revokedAt: NOW })
    .where(
      and(
        eq(sessions.userId, userId),
        isNull(sessions.revokedAt),
        keep === undefined ? undefined : ne(sessions.id, keep),
      ),
    )
    .returning({ id: sessions.id });
  return ended.length;
}

/**
 * Removes the password and the sessions of an account with an unverified address when the owner of the address signs in,
 * since somebody else may have created the account. Returns what it removed; `null` for a verified address.
 */
export async function discardUnverifiedPassword(db: Db, userId: string) {
  const [taken] = await db
    .update(users)
    .set({ passwordHash: null, emailProven: true })
    .where(and(eq(users.id, userId), eq(users.emailProven, false)))
    .returning({ id: users.id });
  return taken ? { passwordRemoved: true, sessionsEnded: await endSessions(db, userId) } : null;
}

export const changePassword = accountVerb(
  {
    name: "account.changePassword",
    summary: "Change your own password. All your other browsers are signed out.",
    effect: "write",
    input: changePasswordInput,
    reply: endedReply,
  },
  {
    // Attempts count towards the sign-in limits; a success does not refund them.
    async before(ctx, { currentPassword }) {
      requirePasswords();
      const { user } = await getMe(ctx, {});
      const address = ctx.request?.address ?? "unknown";
      const found = await verifyPassword(ctx.db, { email: user.email, password: currentPassword, address });
      if (!found) {
        const errors = [{ path: "/currentPassword", message: "This is not your current password." }];
        throw new ServiceError("invalid", "This is not your current password.", { errors });
      }
    },
    async run(ctx, { newPassword }) {
      const ended = await setPassword(ctx.db, { userId: ctx.userId, password: newPassword, keep: ctx.sessionId });
      auditNote(ctx, { target: { type: "user", id: ctx.userId }, after: { sessionsEnded: ended } });
      return { ended };
    },
  },
);
