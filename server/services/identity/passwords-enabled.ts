import { env } from "@/env";
import { ServiceError } from "@/server/platform/errors";

/** Returns whether people can sign in with e-mail and password. */
export const passwordsEnabled = () => env().PASSWORD_SIGN_IN === "on";

/** Throws `conflict` when sign-in by password is disabled. */
export function requirePasswords() {
  if (passwordsEnabled()) return;
  throw new ServiceError("conflict", `Passwords are disabled here: people sign in with ${env().OIDC_NAME}.`);
}
