import { createHmac } from "node:crypto";
import { derivedSecret } from "@/server/platform/secrets";

/** Returns a keyed hash for one purpose. The parts are length-prefixed, so that no two lists of parts collide. */
export const hmac = (purpose: string, parts: readonly (string | Uint8Array)[]) => {
  const made = createHmac("sha256", derivedSecret("idempotency")).update(purpose);
  for (const part of parts) made.update(`\n${part.length}\n`).update(part);
  return made.digest();
};
