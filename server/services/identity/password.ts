import { randomBytes } from "node:crypto";
import { hash, verify } from "@node-rs/argon2";
import { AUTHENTICATED, type HashingCaller, withHashingSlot } from "./hashing-bulkhead";

/** OWASP's argon2id for a server that must also do other work: 19 MiB, two passes, one lane. */
const OPTIONS = {
  algorithm: 2, // Argon2id; the package declares its names as a const enum, which isolated modules cannot read
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

/** Returns the hash of a new password, of somebody who has shown that they may set it. */
export const hashPassword = (password: string) => withHashingSlot(AUTHENTICATED, () => hash(password, OPTIONS));

let nobodys: Promise<string> | undefined;

/**
 * Whether the password is the one hashed. For somebody who does not exist it does the same work against a hash that
 * nothing matches, so that the time of an answer does not tell which addresses are known.
 */
export async function passwordMatches(
  stored: string | undefined,
  password: string,
  applicant: HashingCaller,
): Promise<boolean> {
  nobodys ??= hashPassword(randomBytes(32).toString("hex"));
  nobodys.catch(() => {
    nobodys = undefined;
  });
  const against = stored ?? (await nobodys);
  const matches = await withHashingSlot(applicant, () => verify(against, password).catch(() => false));
  return stored !== undefined && matches;
}
