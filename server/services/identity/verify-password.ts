import type { Db } from "@/db/client";
import { networkOf } from "@/server/platform/http/visitor-network";
import { findUserByEmail, isPossibleEmail } from "./find-user";
import type { HashingCaller } from "./hashing-bulkhead";
import { clearAttempts, countAttempt, refundAttempt } from "./login-limit";
import { passwordMatches } from "./password";
import type { User } from "./schemas";

/** No valid password is longer; hashing more would be wasted work. */
const PASSWORD_MAX = 256;

/**
 * Returns the person when e-mail and password match; `null` otherwise, without revealing which of the two was wrong.
 * `address` is the visitor's network address. Throws `rate_limited` after too many attempts, and `unavailable` while too
 * many passwords are being checked.
 */
export async function verifyPassword(
  db: Db,
  given: { email: string; password: string; address: string },
): Promise<User | null> {
  const usable = isPossibleEmail(given.email) && given.password.length <= PASSWORD_MAX;
  const { familiar } = await countAttempt(db, given);
  const found = usable ? await findUserByEmail(db, given.email) : undefined;
  const applicant: HashingCaller = { kind: familiar ? "known" : "stranger", network: networkOf(given.address) };
  const password = given.password.slice(0, PASSWORD_MAX);
  const matches = await passwordMatches(found?.passwordHash ?? undefined, password, applicant).catch(
    async (error: unknown) => {
      await refundAttempt(db, given, familiar);
      throw error;
    },
  );
  if (!matches || !found) return null;
  await clearAttempts(db, given, familiar);
  return { id: found.id, email: found.email, name: found.name, createdAt: found.createdAt };
}
