import { eq } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import type { Db } from "@/db/client";
import { users } from "@/db/schema";
import { recordAudit } from "@/server/platform/audit";
import type { RequestInfo } from "@/server/platform/context";
import { MINUTE_MS } from "@/server/platform/durations";
import { ServiceError } from "@/server/platform/errors";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import { recordSignInNetwork } from "./familiar-networks";
import { findUserByEmail, isPossibleEmail } from "./find-user";
import { requirePasswords } from "./passwords-enabled";
import { type AuthMethod, startSession } from "./sessions";
import { verifyPassword } from "./verify-password";

/** An unauthenticated visitor: the browser, and the request as the audit log records it. */
export type Visitor = { userAgent?: string | undefined; request: RequestInfo };

/** A signed-in person and their new session. */
export type SignedIn = { userId: string; sessionId: string };

type Entered = {
  userId: string;
  authMethod: AuthMethod;
  /** The sign-in method as the account's audit log names it. */
  by: string;
  visitor: Visitor;
};

/**
 * Returns whether the person is disabled, and locks that state until the end of the transaction, so that a person who is
 * being disabled concurrently gets no session that outlives it.
 */
export async function isDisabled(tx: Db, userId: string): Promise<boolean> {
  const [person] = await tx
    .select({ disabledAt: users.disabledAt })
    .from(users)
    .where(eq(users.id, userId))
    .for("share");
  return !person || person.disabledAt !== null;
}

const disabled = () =>
  new ServiceError("forbidden", "This account is disabled. Ask an owner of this installation to enable it.");

/** Creates a session for a person who has just authenticated. Throws `forbidden` for a disabled account. */
export const openSession = (db: Db, { userId, authMethod, by, visitor }: Entered) =>
  db.transaction(async (tx): Promise<SignedIn> => {
    if (await isDisabled(tx, userId)) throw disabled();
    const sessionId = await startSession(tx, { userId, userAgent: visitor.userAgent, authMethod });
    await recordSignInNetwork(tx, { userId, address: visitor.request.address });
    await recordAudit(tx, {
      action: "account.signIn",
      projectId: null,
      actor: { kind: "user", id: userId, sessionId },
      target: { type: "session", id: sessionId },
      after: { by },
      request: visitor.request,
    });
    return { userId, sessionId };
  });

/** Signs a person in by e-mail and password. Returns `null` when they do not match. */
export async function signInWithPassword(
  db: Db,
  given: { email: string; password: string; visitor: Visitor },
): Promise<SignedIn | null> {
  requirePasswords();
  const { email, password, visitor } = given;
  const refused = (why: string) => recordRefusedSignIn(db, { account: { email }, by: "password", why, visitor });
  try {
    const user = await verifyPassword(db, { email, password, address: visitor.request.address ?? "unknown" });
    if (user) return await openSession(db, { userId: user.id, authMethod: "password", by: "password", visitor });
    refused("the password is wrong");
    return null;
  } catch (error) {
    if (error instanceof ServiceError && error.code === "rate_limited") refused("too many attempts");
    // Only callers with the right password get this far.
    if (error instanceof ServiceError && error.code === "forbidden") refused("the account is disabled");
    throw error;
  }
}

const minuteOf = (at: number) => Math.floor(at / MINUTE_MS);

/** Accounts with a refusal recorded in this minute, so that a flood of refused attempts costs no query. */
const recentlyRecorded = new LRUCache<string, true>({ max: 10_000, ttl: MINUTE_MS });

type Refusal = { account: { email: string } | { userId: string }; by: string; why: string; visitor: Visitor };

/**
 * Records a refused sign-in in the audit log of the account, if there is one with this address. Runs in the background: a
 * response that took longer for addresses with an account would reveal which have one.
 */
export function recordRefusedSignIn(db: Db, refusal: Refusal): void {
  const key = `${minuteOf(Date.now())} ${Object.values(refusal.account).join().toLowerCase()}`;
  if (recentlyRecorded.has(key)) return;
  recentlyRecorded.set(key, true);
  recordRefusal(db, refusal).catch((error: unknown) => {
    recentlyRecorded.delete(key);
    logger("auth").warn({ err: loggable(error) }, "A refused sign-in could not be written to the audit log.");
  });
}

const idOf = async (db: Db, email: string) =>
  isPossibleEmail(email) ? (await findUserByEmail(db, email))?.id : undefined;

/** Writes at most one row per account and minute. */
async function recordRefusal(db: Db, { account, by, why, visitor }: Refusal, now = Date.now()) {
  const userId = "userId" in account ? account.userId : await idOf(db, account.email);
  if (userId === undefined) return;
  await recordAudit(db, {
    id: `aud_refused_${minuteOf(now)}_${userId}`,
    action: "account.signInRefused",
    projectId: null,
    userId,
    // The visitor has not authenticated as this person.
    actor: { kind: "visitor", id: null },
    target: { type: "user", id: userId },
    after: { by, why },
    request: visitor.request,
  });
}
