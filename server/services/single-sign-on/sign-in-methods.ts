import { passwordsEnabled } from "@/server/services/identity";
import { mailEnabled } from "@/server/services/mail";
import { providerSettings } from "./provider-settings";

/** What the pages in front of the workbench may offer, as this installation is set up. */
export function signInMethods() {
  const provider = providerSettings();
  return {
    password: passwordsEnabled(),
    /** People come in through this provider. */
    provider: provider && { name: provider.name },
    /** Links are mailed: somebody who forgot their password can ask for one. */
    mail: mailEnabled(),
  };
}
export type SignInMethods = ReturnType<typeof signInMethods>;
