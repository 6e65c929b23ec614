import { createHash } from "node:crypto";
import { and, eq, lt, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { databaseNow } from "@/db/database-now";
import { loginAttempts } from "@/db/schema";
import { ServiceError } from "@/server/platform/errors";

const WINDOW_MS = 15 * 60_000;
/** A person mistypes a few times; a guesser needs thousands. */
const FAILURES_PER_EMAIL = 10;
/** An office behind one address has many people; a guesser has many accounts to try. */
const FAILURES_PER_ADDRESS = 50;
/** Each is an e-mail in somebody's mailbox. */
const FORGOTTEN_PER_EMAIL = 3;
const FORGOTTEN_PER_ADDRESS = 20;

type Who = { email: string; address: string };
type Attempt = { subject: string; limit: number };

/** Hashed: the table is of no use for learning who tries to sign in. */
const subjectOf = (kind: string, value: string) =>
  `${kind}:${createHash("sha256").update(value).digest("base64url").slice(0, 22)}`;

/** An IPv6 network hands out addresses by the /64: its holder is one visitor. */
const networkOf = (address: string) =>
  address.includes(":") && !address.includes(".") ? address.split(":").slice(0, 4).join(":") : address;

const attemptsOf = ({ email, address }: Who): Attempt[] => [
  { subject: subjectOf("email", email.trim().toLowerCase()), limit: FAILURES_PER_EMAIL },
  { subject: subjectOf("address", networkOf(address)), limit: FAILURES_PER_ADDRESS },
];

const windowOf = (now: number) => now - (now % WINDOW_MS);

const requestsOf = ({ email, address }: Who): Attempt[] => [
  { subject: subjectOf("forgotten:email", email.trim().toLowerCase()), limit: FORGOTTEN_PER_EMAIL },
  { subject: subjectOf("forgotten:address", networkOf(address)), limit: FORGOTTEN_PER_ADDRESS },
];

/**
 * Counts an attempt before its password is looked at, in one statement: many at once, on any number of processes, can't
 * get past the limit together. Refuses once a limit is passed, with no regard to whether the password is right.
 */
export const countAttempt = (db: Db, who: Who) =>
  count(db, attemptsOf(who), "Too many attempts to sign in. Wait a little and try again.");

/** Counts that somebody asks for a link by e-mail, whether or not anybody has the address. */
export const countForgotten = (db: Db, who: Who) =>
  count(db, requestsOf(who), "A link was asked for several times already. Look for the e-mail, or wait a little.");

async function count(db: Db, attempts: readonly Attempt[], refusal: string): Promise<void> {
  const now = await databaseNow(db);
  const windowStart = windowOf(now);
  const counted = await db
    .insert(loginAttempts)
    // In one order always, so that two attempts at once cannot wait for each other.
    .values(
      attempts
        .map(({ subject }) => ({ subject, windowStart, failures: 1 }))
        .sort((a, b) => (a.subject < b.subject ? -1 : 1)),
    )
    .onConflictDoUpdate({
      target: [loginAttempts.subject, loginAttempts.windowStart],
      set: { failures: sql`${loginAttempts.failures} + 1` },
    })
    .returning({ subject: loginAttempts.subject, failures: loginAttempts.failures });

  const over = attempts.some(({ subject, limit }) =>
    counted.some((row) => row.subject === subject && row.failures > limit),
  );
  if (over) {
    const retryAfter = Math.ceil((windowStart + WINDOW_MS - now) / 1000);
    throw new ServiceError("rate_limited", refusal, { retryAfter });
  }
}

/** The attempt was right after all: the address starts afresh, the network gets its one attempt back. */
export async function forgiveAttempt(db: Db, who: Who): Promise<void> {
  const [email, address] = attemptsOf(who) as [Attempt, Attempt];
  const windowStart = windowOf(await databaseNow(db));
  await db.delete(loginAttempts).where(eq(loginAttempts.subject, email.subject));
  await db
    .update(loginAttempts)
    .set({ failures: sql`greatest(${loginAttempts.failures} - 1, 0)` })
    .where(and(eq(loginAttempts.subject, address.subject), eq(loginAttempts.windowStart, windowStart)));
  // Rows of windows that are over count for nothing; a sign-in is seldom enough to sweep them.
  await db.delete(loginAttempts).where(lt(loginAttempts.windowStart, windowStart));
}
