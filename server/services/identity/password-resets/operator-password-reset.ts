import type { Db } from "@/db/client";
import { recordAudit } from "@/server/platform/audit";
import { notFound } from "@/server/platform/errors";
import { findUserByEmail } from "../find-user";
import { requirePasswords } from "../passwords-enabled";
import { createPasswordReset } from "./create-password-reset";
import { issue } from "./issue";

/** Creates a reset link for the operator's command line, outside any project. */
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
