import { createHmac } from "node:crypto";
import { derivedSecret } from "@/server/platform/secrets";

/** A keyed hash for one purpose; its parts cannot run into one another. */
export const hmac = (purpose: string, parts: readonly (string | Uint8Array)[]) => {
  const made = createHmac("sha256", derivedSecret("idempotency")).update(purpose);
  for (const part of parts) made.update(`\n${part.length}\n`).update(part);
  return made.digest();
};
