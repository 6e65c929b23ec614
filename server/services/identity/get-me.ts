import { and, eq, gt, isNotNull, isNull, lt, or, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { z } from "zod";
import { NOW } from "@/db/now";
import { sessions, users } from "@/db/schema";
import { notFound } from "@/server/platform/errors";
import { rightsBy } from "@/server/platform/installation-rights";
import { okReply } from "@/server/platform/schemas";
import { accountVerb } from "@/server/platform/verb";
import { meReply } from "./schemas";

/** How long each browser shows the reset until it is dismissed there: the user of the link might dismiss it first. */
const SHOWN_FOR_MS = 30 * 86_400_000;

const unread = and(
  gt(users.passwordResetAt, sql`${NOW} - ${SHOWN_FOR_MS}::bigint`),
  or(isNull(sessions.resetSeenAt), lt(sessions.resetSeenAt, users.passwordResetAt)),
);

export const getMe = accountVerb(
  {
    name: "account.me",
    summary: "Read the signed-in person.",
    effect: "read",
    input: z.strictObject({}),
    reply: meReply,
  },
  async ({ db, userId, sessionId }) => {
    const makers = alias(users, "makers");
    const [found] = await db
      .select({
        user: { id: users.id, email: users.email, name: users.name, createdAt: users.createdAt },
        hasPassword: isNotNull(users.passwordHash).mapWith(Boolean),
        resetAt: users.passwordResetAt,
        resetBy: users.passwordResetBy,
        unread: sql<boolean>`coalesce(${unread}, false)`,
        makerName: makers.name,
        makerEmail: makers.email,
        marks: { installationOwner: users.installationOwner, mayCreateProjects: users.mayCreateProjects },
      })
      .from(users)
      .leftJoin(makers, eq(makers.id, users.passwordResetBy))
      .leftJoin(sessions, and(eq(sessions.userId, users.id), eq(sessions.id, sessionId ?? "")))
      .where(eq(users.id, userId));
    if (!found) throw notFound("The person");
    const { user, hasPassword, marks, resetAt, resetBy, makerName, makerEmail } = found;
    const by = resetBy === null ? null : { name: makerName, email: makerEmail };
    const passwordReset = found.unread && resetAt !== null ? { at: resetAt, by } : null;
    return { user, hasPassword, rights: rightsBy(marks), passwordReset };
  },
);

export const dismissPasswordReset = accountVerb(
  {
    name: "account.dismissPasswordReset",
    summary: "Dismiss the notice of a password reset in this browser.",
    effect: "write",
    input: z.strictObject({}),
    reply: okReply,
  },
  async ({ db, userId, sessionId }) => {
    await db
      .update(sessions)
      .set({ resetSeenAt: NOW })
      .where(and(eq(sessions.userId, userId), eq(sessions.id, sessionId ?? "")));
    return { ok: true as const };
  },
);
