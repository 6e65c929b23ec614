import { and, eq, exists, gt, isNull, ne, not } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Db } from "@/db/client";
import { databaseNow } from "@/db/database-now";
import { NOW } from "@/db/now";
import { identities, memberships, passwordResets, users } from "@/db/schema";
import { auditNote, recordAudit } from "@/server/platform/audit";
import type { RequestInfo } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { rightsOf } from "@/server/platform/installation-rights";
import { passwordForgotten } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { verb } from "@/server/platform/verb";
import {
  countForgotten,
  findUserByEmail,
  noteNetwork,
  requirePasswords,
  setPassword,
} from "@/server/services/identity";
import { forgotPasswordInput, resetPasswordInput } from "@/server/services/identity/schemas";
import { mailIsOn } from "@/server/services/mail";
import { roleIn } from "@/server/services/projects";
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

/**
 * Why an owner must not see a link for this person's password: it opens more than the owner's own projects; `null` where
 * it does not.
 */
async function opensMore(db: Db, of: { userId: string; projectId: string; ownerId: string | null }) {
  if (await belongsElsewhere(db, of)) return "also belongs to a project that you do not own";
  const [identity] = await db
    .select({ userId: identities.userId })
    .from(identities)
    .where(eq(identities.userId, of.userId))
    .limit(1);
  if (identity) return "signs in through a provider";
  const [theirs, own] = [await rightsOf(db, of.userId), await rightsOf(db, of.ownerId ?? "")];
  return theirs.some((right) => !own.includes(right)) ? "has rights in this installation that you do not have" : null;
}

/** `createdBy`: an owner, the person themselves, or (`null`) the operator. `mailedOnly`: nobody but the person sees it. */
type Issue = { userId: string; projectId: string | null; createdBy: string | null; mailedOnly: boolean };

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
      "The link is in this answer only and works for a day; where this installation sends e-mail, it is also mailed to the member. For somebody who also belongs to a project that the caller does not own, or who signs in through a provider, the link is mailed to them only (`token` and `link` are `null`), and refused (409) where no e-mail is sent: their password opens more than the caller's projects. A key makes no such links (403). Who made the link is told to the member when they sign in next.",
    capability: "project:admin",
    effect: "write",
    input: memberInput,
    reply: passwordResetReply,
  },
  async (ctx, { userId }) => {
    requirePasswords();
    if (ctx.actor.kind !== "user") {
      throw new ServiceError("forbidden", "Links for passwords are made by owners who are signed in, not with a key.");
    }
    await roleOf(ctx, userId);
    const { projectId } = ctx;
    const ownerId = ctx.actor.userId;
    const why = await opensMore(ctx.db, { userId, projectId, ownerId });
    const mailedOnly = why !== null;
    if (mailedOnly && !mailIsOn()) {
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
      makerId: null,
      link: linkTo("reset", token),
      expiresAt,
    });
    if (mailedTo === null) return;
    await issue(tx, { userId, projectId: null, createdBy: userId, mailedOnly: true }, token);
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
    const made = await issue(tx, { userId: person.id, projectId: null, createdBy: null, mailedOnly: false });
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

/** Whether an owner's link is still one that they could make: as an owner, and of this person. */
async function makerStillMay(
  db: Db,
  link: Pick<Issue, "mailedOnly"> & { userId: string; projectId: string; ownerId: string },
) {
  const { userId, projectId, ownerId, mailedOnly } = link;
  if ((await roleIn(db, { projectId, userId: ownerId })) !== "owner") return false;
  return mailedOnly || (await opensMore(db, { userId, projectId, ownerId })) === null;
}

/** Whose password a link sets; `null` when it opens nothing. */
export async function lookAtPasswordReset(db: Db, token: string) {
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
    // One of a project that is no person's was made with a key, by an earlier version.
    if (makerId === null || !(await makerStillMay(db, { userId, projectId, ownerId: makerId, mailedOnly })))
      return null;
  }
  return { userId, email, makerId };
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
    const { userId, makerId } = found;
    const ended = await setPassword(tx, { userId, password });
    const byAnother = makerId !== userId;
    // Whoever has the link may come in from here, however many strangers try to.
    await noteNetwork(tx, { userId, address: request?.address });
    // They are told when they sign in next, whoever uses the link.
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
