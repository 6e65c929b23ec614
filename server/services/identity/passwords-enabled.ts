import { env } from "@/env";
import { ServiceError } from "@/server/platform/errors";

/** Whether people can sign in with e-mail and password here. */
export const passwordsEnabled = () => env().PASSWORD_SIGN_IN === "on";

/** Refuses whatever only a password would be good for. */
export function requirePasswords() {
  if (passwordsEnabled()) return;
  throw new ServiceError("conflict", `Passwords are switched off here: people sign in with ${env().OIDC_NAME}.`);
}
