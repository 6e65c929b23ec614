import { mailIsOn } from "@/server/services/mail";

/** What the pages in front of the workbench may offer, as this installation is set up. */
export const waysIn = () => ({
  /** Links are mailed: somebody who forgot their password can ask for one. */
  mail: mailIsOn(),
});
