import { passwordsAreOn } from "@/server/services/identity";
import { mailIsOn } from "@/server/services/mail";
import { providerSettings } from "./provider-settings";

/** What the pages in front of the workbench may offer, as this installation is set up. */
export function waysIn() {
  const provider = providerSettings();
  return {
    password: passwordsAreOn(),
    /** People come in through this provider. */
    provider: provider && { name: provider.name },
    /** Links are mailed: somebody who forgot their password can ask for one. */
    mail: mailIsOn(),
  };
}
export type WaysIn = ReturnType<typeof waysIn>;
