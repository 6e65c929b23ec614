import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { derivedSecret } from "@/server/platform/secrets";

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A keyed hash for one purpose; its parts cannot run into one another. */
export const hmac = (purpose: string, parts: readonly (string | Uint8Array)[]) => {
  const made = createHmac("sha256", derivedSecret("idempotency")).update(purpose);
  for (const part of parts) made.update(`\n${part.length}\n`).update(part);
  return made.digest();
};

/** AES-256-GCM: what is stored cannot be read or changed without the key that the client sent. */
export function seal(key: Buffer, text: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, iv);
  const sealed = [iv, cipher.update(text, "utf8"), cipher.final()];
  return Buffer.concat([...sealed, cipher.getAuthTag()]).toString("base64");
}

export function unseal(key: Buffer, sealed: string): string {
  const bytes = Buffer.from(sealed, "base64");
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
}
