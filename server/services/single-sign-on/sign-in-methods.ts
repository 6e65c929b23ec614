import { passwordsEnabled } from "@/server/services/identity";
import { mailEnabled } from "@/server/services/mail";
import { providerSettings } from "./provider-settings";

/** Returns the sign-in methods that this installation offers. */
export function signInMethods() {
  const provider = providerSettings();
  return {
    password: passwordsEnabled(),
    /** The OpenID Connect provider, if one is configured. */
    provider: provider && { name: provider.name },
    /** Whether password reset links can be requested by e-mail. */
    mail: mailEnabled(),
  };
}
export type SignInMethods = ReturnType<typeof signInMethods>;
