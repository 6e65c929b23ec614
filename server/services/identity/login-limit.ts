import { eq, lt, sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import type { Db } from "@/db/client";
import { databaseNow } from "@/db/database-now";
import { loginAttempts } from "@/db/schema";
import { ServiceError } from "@/server/platform/errors";
import { isFamiliar } from "./familiar-networks";
import { keyedHash, networkOf } from "./network";

const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;

type Who = { email: string; address: string };
type Limit = { kind: string; windowMs: number; most: number; of: (who: Who) => string };

const account = ({ email }: Who) => email.trim().toLowerCase();
const network = ({ address }: Who) => networkOf(address);

/** A person mistypes a few times; a guesser needs thousands. From there alone, so that no stranger locks anybody out. */
const FROM_THERE: Limit = {
  kind: "pair",
  windowMs: QUARTER_MS,
  most: 10,
  of: (who) => `${account(who)} ${network(who)}`,
};
/** An office behind one address has many people; a guesser has many accounts to try. */
const OF_NETWORK: Limit = { kind: "network", windowMs: QUARTER_MS, most: 50, of: network };
/** Of all networks together from which the account was never signed in to: a guesser may have many. */
const OF_STRANGERS: Limit = { kind: "strangers", windowMs: HOUR_MS, most: 100, of: account };
/** Each is an e-mail in somebody's mailbox. */
const MAILS_TO: Limit = { kind: "forgotten:email", windowMs: QUARTER_MS, most: 3, of: account };
const MAILS_OF_NETWORK: Limit = { kind: "forgotten:network", windowMs: QUARTER_MS, most: 20, of: network };

/** Blinded: the table is of no use for learning who tries to sign in. */
const subjectOf = (limit: Limit, who: Who) => `${limit.kind}:${keyedHash(limit.of(who))}`;

const TRIED_OFTEN = "Too many attempts to sign in. Wait a little and try again.";
const ASKED_OFTEN = "A link was asked for several times already. Look for the e-mail, or wait a little.";
const TRIED_BY_STRANGERS =
  "Too many attempts to sign in to this account, from places where nobody has signed in to it before. Sign in from where you usually do, ask for a link by e-mail, or wait a little.";

/** Subjects whose limit is used up until their window ends: a flood that is refused costs the database nothing. */
const closed = new LRUCache<string, true>({ max: 20_000 });

const refusal = (message: string, ms: number) =>
  new ServiceError("rate_limited", message, { retryAfter: Math.max(1, Math.ceil(ms / 1000)) });

/**
 * Counts an attempt before its password is looked at, in one statement for each kind of limit: many at once, on any number
 * of processes, can't get past a limit together. Refuses once one is passed, with no regard to whether the password is
 * right. Returns whether the account was signed in to from there before.
 */
export async function countAttempt(db: Db, who: Who): Promise<{ familiar: boolean }> {
  await count(db, who, [FROM_THERE, OF_NETWORK], TRIED_OFTEN);
  const familiar = await isFamiliar(db, who);
  // Only what the limits before let through: alone, no network uses this one up.
  if (!familiar) await count(db, who, [OF_STRANGERS], TRIED_BY_STRANGERS);
  return { familiar };
}

/** Counts that somebody asks for a link by e-mail, whether or not anybody has the address. */
export const countResetRequest = (db: Db, who: Who) => count(db, who, [MAILS_TO, MAILS_OF_NETWORK], ASKED_OFTEN);

async function count(db: Db, who: Who, limits: readonly Limit[], message: string): Promise<void> {
  const attempts = limits.map((limit) => ({ limit, subject: subjectOf(limit, who) }));
  for (const { subject } of attempts) {
    if (closed.has(subject)) throw refusal(message, closed.getRemainingTTL(subject));
  }
  const now = await databaseNow(db);
  const counted = await db
    .insert(loginAttempts)
    // In one order always, so that two attempts at once cannot wait for each other.
    .values(
      attempts
        .map(({ limit, subject }) => ({ subject, windowStart: now - (now % limit.windowMs), failures: 1 }))
        .sort((a, b) => (a.subject < b.subject ? -1 : 1)),
    )
    .onConflictDoUpdate({
      target: [loginAttempts.subject, loginAttempts.windowStart],
      set: { failures: sql`${loginAttempts.failures} + 1` },
    })
    .returning({ subject: loginAttempts.subject, failures: loginAttempts.failures });
  for (const { limit, subject } of attempts) {
    if (!counted.some((row) => row.subject === subject && row.failures > limit.most)) continue;
    const left = limit.windowMs - (now % limit.windowMs);
    closed.set(subject, true, { ttl: left });
    throw refusal(message, left);
  }
}

/** The attempt came to nothing by no fault of whoever made it: it does not count. */
export async function refundAttempt(db: Db, who: Who, familiar: boolean): Promise<void> {
  for (const limit of [FROM_THERE, OF_NETWORK, ...(familiar ? [] : [OF_STRANGERS])]) {
    await db
      .update(loginAttempts)
      .set({ failures: sql`greatest(${loginAttempts.failures} - 1, 0)` })
      .where(eq(loginAttempts.subject, subjectOf(limit, who)));
  }
}

/** The attempt was right after all: the person starts afresh from there, the other counts get their one attempt back. */
export async function clearAttempts(db: Db, who: Who, familiar: boolean): Promise<void> {
  await refundAttempt(db, who, familiar);
  await db.delete(loginAttempts).where(eq(loginAttempts.subject, subjectOf(FROM_THERE, who)));
  // Rows of windows that are over count for nothing; a sign-in is rare enough to sweep them.
  await db.delete(loginAttempts).where(lt(loginAttempts.windowStart, (await databaseNow(db)) - HOUR_MS));
}
