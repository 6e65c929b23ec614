import { randomBytes } from "node:crypto";
import { hash, verify } from "@node-rs/argon2";

/** OWASP's argon2id for a server that must also do other work: 19 MiB, two passes, one lane. */
const OPTIONS = {
  algorithm: 2, // Argon2id; the package declares its names as a const enum, which isolated modules cannot read
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

export const hashPassword = (password: string) => hash(password, OPTIONS);

let nobodys: Promise<string> | undefined;

/**
 * Whether the password is the one hashed. For somebody who does not exist it does the same work against a hash that
 * nothing matches, so that the time of an answer does not tell which addresses are known.
 */
export async function passwordMatches(stored: string | undefined, password: string): Promise<boolean> {
  nobodys ??= hashPassword(randomBytes(32).toString("hex"));
  const matches = await verify(stored ?? (await nobodys), password).catch(() => false);
  return stored !== undefined && matches;
}
