import { randomBytes } from "node:crypto";
import { hash, verify } from "@node-rs/argon2";
import { AUTHENTICATED, type HashingCaller, withHashingSlot } from "./hashing-bulkhead";

/** OWASP's recommended argon2id parameters: 19 MiB, two passes, one lane. */
const OPTIONS = {
  algorithm: 2, // Argon2id; the package declares its names as a const enum, which isolated modules cannot read
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

/** Returns the hash of a new password for an authenticated caller. */
export const hashPassword = (password: string) => withHashingSlot(AUTHENTICATED, () => hash(password, OPTIONS));

let nobodys: Promise<string> | undefined;

/**
 * Returns whether the password matches the hash. Without a hash it does the same work against one that nothing matches,
 * so that response times do not reveal which addresses have an account.
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
