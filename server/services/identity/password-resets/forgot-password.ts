import type { Db } from "@/db/client";
import { recordAudit } from "@/server/platform/audit";
import type { RequestInfo } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { passwordForgotten } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { mailEnabled } from "@/server/services/mail";
import { findUserByEmail } from "../find-user";
import { countResetRequest } from "../login-limit";
import { linkTo, newToken } from "../one-time-link";
import { requirePasswords } from "../passwords-enabled";
import { forgotPasswordInput } from "../schemas";
import { issue, resetExpiry } from "./issue";
import { mailReset } from "./mail-reset";

/** Requests a reset link by e-mail. Neither the response nor its timing reveals whether an account has the address. */
export async function forgotPassword(db: Db, given: unknown, request: RequestInfo) {
  requirePasswords();
  const { email } = forgotPasswordInput.parse(given);
  if (!mailEnabled()) {
    throw new ServiceError("not_implemented", "This installation sends no e-mail. Ask an owner for a link.");
  }
  await countResetRequest(db, { email, address: request.address ?? "unknown" });
  const found = await findUserByEmail(db, email);
  await emit(db, passwordForgotten.create({ userId: found?.id ?? newId("usr"), mailId: newId("mail") }));
  return { ok: true as const };
}

/** Mails a link to a person who forgot their password. Idempotent per `mailId`. */
export const mailForgottenReset = (db: Db, { userId, mailId }: { userId: string; mailId: string }) =>
  db.transaction(async (tx) => {
    const token = newToken();
    const expiresAt = await resetExpiry(tx);
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
