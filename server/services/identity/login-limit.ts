import { eq, lt, sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import type { Db } from "@/db/client";
import { databaseNow } from "@/db/database-now";
import { loginAttempts } from "@/db/schema";
import { HOUR_MS, MINUTE_MS } from "@/server/platform/durations";
import { ServiceError } from "@/server/platform/errors";
import { networkOf } from "@/server/platform/http/visitor-network";
import { isFamiliar } from "./familiar-networks";
import { keyedHash } from "./keyed-hash";

const QUARTER_MS = 15 * MINUTE_MS;

type Who = { email: string; address: string };
type Limit = { kind: string; windowMs: number; most: number; of: (who: Who) => string };

const account = ({ email }: Who) => email.trim().toLowerCase();
const network = ({ address }: Who) => networkOf(address);

/** A person mistypes a few times; a guesser needs thousands. Per account and network, so that nobody can lock others out. */
const PER_ACCOUNT_AND_NETWORK: Limit = {
  kind: "pair",
  windowMs: QUARTER_MS,
  most: 10,
  of: (who) => `${account(who)} ${network(who)}`,
};
/** An office behind one address has many people; a guesser has many accounts to try. */
const PER_NETWORK: Limit = { kind: "network", windowMs: QUARTER_MS, most: 50, of: network };
/** For all unfamiliar networks of an account together: a guesser may have many networks. */
const FROM_UNFAMILIAR: Limit = { kind: "strangers", windowMs: HOUR_MS, most: 100, of: account };
/** Each request sends an e-mail to a person's mailbox. */
const MAILS_PER_ADDRESS: Limit = { kind: "forgotten:email", windowMs: QUARTER_MS, most: 3, of: account };
const MAILS_PER_NETWORK: Limit = { kind: "forgotten:network", windowMs: QUARTER_MS, most: 20, of: network };

/** Pages that anyone may open with a link; a reader opens a few. */
const SHARED_PER_NETWORK: Limit = { kind: "shared:network", windowMs: QUARTER_MS, most: 300, of: network };

/** Hashed with a key, so that the table does not reveal who tries to sign in. */
const subjectOf = (limit: Limit, who: Who) => `${limit.kind}:${keyedHash(limit.of(who))}`;

const TOO_MANY_ATTEMPTS = "Too many attempts to sign in. Wait a few minutes and try again.";
const TOO_MANY_LINKS = "Several links were already requested. Check your e-mail, or wait a few minutes.";
const TOO_MANY_OPENED = "Too many shared pages were opened from this network. Wait a few minutes and try again.";
const TOO_MANY_UNFAMILIAR =
  "Too many attempts to sign in to this account from unfamiliar networks. Sign in from where you usually do, request a link by e-mail, or wait a few minutes.";

/** Subjects whose limit is exhausted until their window ends, so that a flood of refused attempts costs no query. */
const closed = new LRUCache<string, true>({ max: 20_000 });

const refusal = (message: string, ms: number) =>
  new ServiceError("rate_limited", message, { retryAfter: Math.max(1, Math.ceil(ms / 1000)) });

/**
 * Counts an attempt before the password is checked, in one statement per kind of limit, so that concurrent attempts on any
 * number of processes cannot exceed a limit together. Throws `rate_limited` once a limit is exceeded, even when the
 * password is right. Returns whether the account was signed in to from this network before.
 */
export async function countAttempt(db: Db, who: Who): Promise<{ familiar: boolean }> {
  await count(db, who, [PER_ACCOUNT_AND_NETWORK, PER_NETWORK], TOO_MANY_ATTEMPTS);
  const familiar = await isFamiliar(db, who);
  // Counts only attempts within the limits above, so that a single network cannot exhaust this one.
  if (!familiar) await count(db, who, [FROM_UNFAMILIAR], TOO_MANY_UNFAMILIAR);
  return { familiar };
}

/** Counts a request for a link by e-mail, whether or not an account has the address. Throws `rate_limited`. */
export const countResetRequest = (db: Db, who: Who) =>
  count(db, who, [MAILS_PER_ADDRESS, MAILS_PER_NETWORK], TOO_MANY_LINKS);

/** Counts the opening of a shared page, whether or not its link exists. Throws `rate_limited`. */
export const countShareOpening = (db: Db, { address }: { address: string }) =>
  count(db, { email: "", address }, [SHARED_PER_NETWORK], TOO_MANY_OPENED);

async function count(db: Db, who: Who, limits: readonly Limit[], message: string): Promise<void> {
  const attempts = limits.map((limit) => ({ limit, subject: subjectOf(limit, who) }));
  for (const { subject } of attempts) {
    if (closed.has(subject)) throw refusal(message, closed.getRemainingTTL(subject));
  }
  const now = await databaseNow(db);
  const counted = await db
    .insert(loginAttempts)
    // Always in the same order, so that concurrent attempts cannot deadlock.
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

/** Uncounts an attempt that failed through no fault of the person. */
export async function refundAttempt(db: Db, who: Who, familiar: boolean): Promise<void> {
  for (const limit of [PER_ACCOUNT_AND_NETWORK, PER_NETWORK, ...(familiar ? [] : [FROM_UNFAMILIAR])]) {
    await db
      .update(loginAttempts)
      .set({ failures: sql`greatest(${loginAttempts.failures} - 1, 0)` })
      .where(eq(loginAttempts.subject, subjectOf(limit, who)));
  }
}

/** Uncounts a successful attempt, and resets the count of its account and network. */
export async function clearAttempts(db: Db, who: Who, familiar: boolean): Promise<void> {
  await refundAttempt(db, who, familiar);
  await db.delete(loginAttempts).where(eq(loginAttempts.subject, subjectOf(PER_ACCOUNT_AND_NETWORK, who)));
  // Deletes expired windows here: sign-ins are rare enough to pay for the sweep.
  await db.delete(loginAttempts).where(lt(loginAttempts.windowStart, (await databaseNow(db)) - HOUR_MS));
}
