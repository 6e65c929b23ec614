import { seal, unseal } from "@/server/platform/seal";
import { derivedSecret } from "@/server/platform/secrets";
import type { EmailContent } from "./compose-email";

/** Stored encrypted, because a link in it grants access and the address is private. */
export type Contents = { to: string; letter: EmailContent };

const key = () => Buffer.from(derivedSecret("mail"), "hex");

export const sealMail = (contents: Contents) => seal(key(), JSON.stringify(contents));
export const unsealMail = (sealed: string) => JSON.parse(unseal(key(), sealed)) as Contents;
