import { and, eq, exists, gt, isNull, ne, not } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Db } from "@/db/client";
import { databaseNow } from "@/db/database-now";
import { NOW } from "@/db/now";
import { memberships, passwordResets, users } from "@/db/schema";
import { passwordForgotten } from "@/inngest/events";
import { auditNote, recordAudit } from "@/server/platform/audit";
import type { RequestInfo } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { emit } from "@/server/platform/outbox";
import { verb } from "@/server/platform/verb";
import { countForgotten, findUserByEmail, requirePasswords, setPassword } from "@/server/services/identity";
import { forgotPasswordInput, resetPasswordInput } from "@/server/services/identity/schemas";
import { mailIsOn } from "@/server/services/mail";
import { mailReset } from "./mails";
import { roleOf } from "./owners";
import { memberInput, passwordResetReply, RESET_HOURS } from "./schemas";
import { hashOfToken, linkTo, newToken } from "./token";

const HOUR_MS = 3_600_000;

/**
 * Whether the person belongs to a project that the issuer does not own. A new password opens all of a person's projects:
 * whoever owns one of them must not come into the others by it.
 */
async function belongsElsewhere(db: Db, of: { userId: string; projectId: string; ownerId: string | null }) {
  const owned = alias(memberships, "owned");
  const alsoOwned = db
    .select({ projectId: owned.projectId })
    .from(owned)
    .where(
      and(eq(owned.projectId, memberships.projectId), eq(owned.userId, of.ownerId ?? ""), eq(owned.role, "owner")),
    );
  const [elsewhere] = await db
    .select({ projectId: memberships.projectId })
    .from(memberships)
    .where(and(eq(memberships.userId, of.userId), ne(memberships.projectId, of.projectId), not(exists(alsoOwned))))
    .limit(1);
  return elsewhere !== undefined;
}

type Issue = { userId: string; projectId: string | null; createdBy: string | null };

/** A new link; earlier ones of the same person stop working. */
async function issue(db: Db, given: Issue, token = newToken()) {
  const expiresAt = (await databaseNow(db)) + RESET_HOURS * HOUR_MS;
  await db.delete(passwordResets).where(and(eq(passwordResets.userId, given.userId), isNull(passwordResets.usedAt)));
  await db.insert(passwordResets).values({ ...given, hash: hashOfToken(token), expiresAt });
  return { token, link: linkTo("reset", token), expiresAt };
}

export const createPasswordReset = verb(
  {
    name: "members.createPasswordReset",
    summary: "Make a one-time link by which a member sets a new password.",
    description:
      "The link is in this answer only and works for a day; where this installation sends e-mail, it is also mailed to the member. Refused (409) for somebody who also belongs to a project that the caller does not own: their password opens that one too. The operator's command line can.",
    capability: "project:admin",
    effect: "write",
    input: memberInput,
    reply: passwordResetReply,
  },
  async (ctx, { userId }) => {
    requirePasswords();
    await roleOf(ctx, userId);
    const ownerId = ctx.actor.kind === "user" ? ctx.actor.userId : null;
    if (await belongsElsewhere(ctx.db, { userId, projectId: ctx.projectId, ownerId })) {
      throw new ServiceError(
        "conflict",
        "This person also belongs to a project that you do not own. Ask whoever runs this installation for a link.",
      );
    }
    const made = await issue(ctx.db, { userId, projectId: ctx.projectId, createdBy: ownerId });
    auditNote(ctx, { target: { type: "user", id: userId }, after: { expiresAt: made.expiresAt } });
    return { ...made, mailedTo: await mailReset(ctx.db, { userId, projectId: ctx.projectId, ...made }) };
  },
);

/** Asks for a link by e-mail. Whether anybody has the address shows in nothing, not in the time that it takes either. */
export async function forgotPassword(db: Db, given: unknown, request: RequestInfo) {
  requirePasswords();
  const { email } = forgotPasswordInput.parse(given);
  if (!mailIsOn()) {
    throw new ServiceError("not_implemented", "This installation sends no e-mail. Ask an owner for a link.");
  }
  await countForgotten(db, { email, address: request.address ?? "unknown" });
  const found = await findUserByEmail(db, email);
  await emit(db, passwordForgotten.create({ userId: found?.id ?? newId("usr"), mailId: newId("mail") }));
  return { ok: true as const };
}

/** Mails a link to somebody who forgot their password. Told again, it does nothing more. */
export const mailForgottenReset = (db: Db, { userId, mailId }: { userId: string; mailId: string }) =>
  db.transaction(async (tx) => {
    const token = newToken();
    const expiresAt = (await databaseNow(tx)) + RESET_HOURS * HOUR_MS;
    const mailedTo = await mailReset(tx, {
      mailId,
      userId,
      projectId: null,
      link: linkTo("reset", token),
      expiresAt,
    });
    if (mailedTo === null) return;
    await issue(tx, { userId, projectId: null, createdBy: null }, token);
    await recordAudit(tx, {
      action: "account.forgotPassword",
      projectId: null,
      userId,
      actor: { kind: "visitor", id: null },
      target: { type: "user", id: userId },
      after: { expiresAt },
    });
  });

/** The operator's own: no project stands between them and the database. */
export const operatorPasswordReset = (db: Db, email: string) =>
  db.transaction(async (tx) => {
    requirePasswords();
    const person = await findUserByEmail(tx, email);
    if (!person) throw notFound(`A person with the address ${email}`);
    const made = await issue(tx, { userId: person.id, projectId: null, createdBy: null });
    await recordAudit(tx, {
      action: createPasswordReset.spec.name,
      projectId: null,
      userId: person.id,
      actor: { kind: "operator", id: null },
      target: { type: "user", id: person.id },
      after: { expiresAt: made.expiresAt },
    });
    return made;
  });

/** Whose password a link sets; `null` when it opens nothing. */
export async function lookAtPasswordReset(db: Db, token: string) {
  const [found] = await db
    .select({
      userId: users.id,
      email: users.email,
      projectId: passwordResets.projectId,
      ownerId: passwordResets.createdBy,
    })
    .from(passwordResets)
    .innerJoin(users, eq(users.id, passwordResets.userId))
    .where(
      and(
        eq(passwordResets.hash, hashOfToken(token)),
        isNull(passwordResets.usedAt),
        gt(passwordResets.expiresAt, NOW),
      ),
    );
  if (!found) return null;
  const { userId, email, projectId, ownerId } = found;
  // Since it was made, the person may have joined a project that its maker must not come into.
  if (projectId !== null && (await belongsElsewhere(db, { userId, projectId, ownerId }))) return null;
  return { userId, email };
}

/** Sets the password by a link, once, and ends every session of the person. */
export async function resetPassword(db: Db, given: unknown, request?: RequestInfo) {
  requirePasswords();
  const { token, password } = resetPasswordInput.parse(given);
  return db.transaction(async (tx) => {
    const found = await lookAtPasswordReset(tx, token);
    const [used] = found
      ? await tx
          .update(passwordResets)
          .set({ usedAt: NOW })
          .where(and(eq(passwordResets.hash, hashOfToken(token)), isNull(passwordResets.usedAt)))
          .returning({ hash: passwordResets.hash })
      : [];
    if (!found || !used) {
      throw new ServiceError("forbidden", "This link was used already or has expired. Ask for a new one.");
    }
    const ended = await setPassword(tx, { userId: found.userId, password });
    await recordAudit(tx, {
      action: "account.resetPassword",
      projectId: null,
      actor: { kind: "user", id: found.userId },
      target: { type: "user", id: found.userId },
      after: { sessionsEnded: ended },
      request,
    });
    return { email: found.email };
  });
}
