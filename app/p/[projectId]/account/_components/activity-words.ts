import type { AuditEntry } from "@/server/services/audit/schemas";
import { actionWords } from "../../_components/audit/audit-words";

const WORDS: Record<string, string> = {
  "account.signIn": "Signed in",
  "account.signInRefused": "Sign-in refused",
  "account.signOut": "Signed out",
  "account.changePassword": "Changed the password",
  "account.resetPassword": "Set a new password with a link",
  "account.dismissPasswordReset": "Acknowledged the password reset",
  "account.rename": "Changed the name",
  "account.endSession": "Signed a browser out",
  "account.endOtherSessions": "Signed the other browsers out",
  "members.createPasswordReset": "Password link created",
  "people.disable": "Account disabled",
  "people.enable": "Account enabled",
  "people.changeRights": "Installation permissions changed",
  "projects.delete": "Deleted a project",
  "projects.removeFromTrainers": "A deleted project’s files are gone from its trainers",
  "users.create": "Account created",
  "setup.complete": "Set Whetstone up",
};

const text = (fields: AuditEntry["after"], name: string) =>
  typeof fields?.[name] === "string" ? (fields[name] as string) : null;

/** Returns an account event as a line of text, with its details. */
export function activityWords({ action, before, after }: AuditEntry) {
  const said = WORDS[action] ?? actionWords(action);
  const more =
    action === "account.rename"
      ? [text(before, "name") ?? "none", text(after, "name") ?? "none"].join(" → ")
      : [text(after, "by") && `by ${text(after, "by")}`, text(after, "why")].filter(Boolean).join(", ");
  return { said, more, refused: action === "account.signInRefused" };
}
