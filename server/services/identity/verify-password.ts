import type { Db } from "@/db/client";
import { findUserByEmail } from "./find-user";
import { countAttempt, forgiveAttempt } from "./login-limit";
import { passwordMatches } from "./password";
import type { User } from "./schemas";

/** No password of ours is longer; hashing more would only be work. */
const PASSWORD_MAX = 256;
const EMAIL_MAX = 254;

/** Whether it is worth looking up what somebody typed as their address. */
export const isPossibleEmail = (email: string) => email.length <= EMAIL_MAX && !email.includes("\u0000");

/**
 * The person, when address and password belong together; `null` otherwise, with nothing to tell which of the two was
 * wrong. `address` is the visitor's network address. Throws `rate_limited` after too many attempts.
 */
export async function verifyPassword(
  db: Db,
  given: { email: string; password: string; address: string },
): Promise<User | null> {
  await countAttempt(db, given);
  const usable = isPossibleEmail(given.email) && given.password.length <= PASSWORD_MAX;
  const found = usable ? await findUserByEmail(db, given.email) : undefined;
  if (!(await passwordMatches(found?.passwordHash ?? undefined, given.password.slice(0, PASSWORD_MAX))) || !found)
    return null;
  await forgiveAttempt(db, given);
  return { id: found.id, email: found.email, name: found.name, createdAt: found.createdAt };
}
