import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scryptSync } from "node:crypto";
import { ArchiveProblem } from "./archive";
import type { Manifest } from "./manifest";

const KEY_BYTES = 32;
const SCRYPT = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const TAG_BYTES = 16;

export const fingerprintOf = (secret: string) =>
  Buffer.from(hkdfSync("sha256", secret, "", "whetstone:backup-fingerprint", 16)).toString("hex");

/** Seals the secret with a passphrase (scrypt, AES-256-GCM). */
export function seal(secret: string, passphrase: string): NonNullable<Manifest["secret"]> {
  const salt = randomBytes(16);
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", scryptSync(passphrase, salt, KEY_BYTES, SCRYPT), nonce);
  const sealed = Buffer.concat([cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return { salt: salt.toString("base64"), nonce: nonce.toString("base64"), sealed: sealed.toString("base64") };
}

/** Returns the secret; `undefined` if the passphrase is wrong. */
export function unseal(kept: NonNullable<Manifest["secret"]>, passphrase: string): string | undefined {
  const [salt, nonce, sealed] = [kept.salt, kept.nonce, kept.sealed].map((text) => Buffer.from(text, "base64")) as [
    Buffer,
    Buffer,
    Buffer,
  ];
  try {
    const cipher = createDecipheriv("aes-256-gcm", scryptSync(passphrase, salt, KEY_BYTES, SCRYPT), nonce, {
      authTagLength: TAG_BYTES,
    });
    cipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    return Buffer.concat([cipher.update(sealed.subarray(0, -TAG_BYTES)), cipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

/** One line, as long as any secret must be. */
const USABLE = /^[^\p{Cc}]{32,}$/u;

/** Returns the secret in a backup. Throws for another passphrase, and for a secret that the backup was not made under. */
export function secretOf({ secret: sealed, secretFingerprint }: Manifest, passphrase: string): string {
  if (!sealed) throw new ArchiveProblem("The backup contains no secret: omit --passphrase-file.");
  const secret = unseal(sealed, passphrase);
  if (secret === undefined) throw new ArchiveProblem("The secret in the backup was encrypted with another passphrase.");
  if (fingerprintOf(secret) !== secretFingerprint || !USABLE.test(secret)) {
    throw new ArchiveProblem("The backup is damaged: the secret in it is not the one that it was made under.");
  }
  return secret;
}
