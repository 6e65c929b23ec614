import { seal, unseal } from "@/server/platform/seal";
import { derivedSecret } from "@/server/platform/secrets";
import type { Letter } from "./letter";

/** To whom and what: a link in it lets its reader in, and the address is nobody else's business. */
export type Contents = { to: string; letter: Letter };

const key = () => Buffer.from(derivedSecret("mail"), "hex");

export const sealMail = (contents: Contents) => seal(key(), JSON.stringify(contents));
export const unsealMail = (sealed: string) => JSON.parse(unseal(key(), sealed)) as Contents;
