import { createHmac, timingSafeEqual } from "node:crypto";

/** Returns whether `signature` is the hexadecimal HMAC-SHA256 of a raw body. Compares in constant time. */
export function isSignedBy(secret: string, body: Buffer, signature: string | undefined): boolean {
  if (secret === "" || signature === undefined || !/^[0-9a-f]{64}$/i.test(signature)) return false;
  return timingSafeEqual(createHmac("sha256", secret).update(body).digest(), Buffer.from(signature, "hex"));
}

/** Identifies a delivery that has no id by its body, which its redeliveries share. */
export const idFromBody = (body: Buffer) => createHmac("sha256", "delivery").update(body).digest("hex");
